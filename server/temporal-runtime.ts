import { Runtime, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Gives the Temporal SDK our log. Before the first native connection; a second call changes nothing. */
export function installRuntime(logger: Logger): void {
  const write =
    (level: Level) =>
    (message: string, meta?: LogMetadata): void =>
      logger[levelOf(level, message)](plain(meta), message);
  try {
    Runtime.install({
      logger: {
        log: (level, message, meta) => write(level.toLowerCase() as Level)(message, meta),
        trace: write('trace'),
        debug: write('debug'),
        // What the SDK tells of its life is for those who look for faults in it.
        info: write('debug'),
        warn: write('warn'),
        error: write('error'),
      },
      // Signals are handled by the composition root, which stops the parts in order.
      shutdownSignals: [],
    });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'IllegalStateError')) throw error;
  }
}

/** A script that fails is a run like others: whoever reads the run is told. */
function levelOf(level: Level, message: string): Level {
  return message === 'Workflow failed' ? 'debug' : level;
}

/** Only what a log line can show. */
function plain(meta: LogMetadata | undefined): Record<string, unknown> {
  const shown = ['string', 'number', 'boolean'];
  const entries: [string, unknown][] = Object.entries(meta ?? {});
  return Object.fromEntries(
    entries.filter(([, value]) => shown.includes(typeof value) || value instanceof Error),
  );
}
