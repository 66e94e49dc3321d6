import type { Run, TraceEntry } from '../../protocol/run';
import { between, count, place, span } from './amounts';
import { traceLines } from './calls';
import { runIdText } from './escape';
import { failureLines } from './failure';
import { logLines } from './log';
import { outputLines } from './output';
import { literal, nextCall } from './values';
import { waitLines, waitWords } from './waits';

/** What a text tells of a run besides the run itself. */
export interface RunReading {
  /** Undefined where it cannot be read now. */
  log: string | undefined;
  /** The last calls, and the one that failed. */
  calls: readonly TraceEntry[];
}

export interface RunTextOptions {
  outputLimit: number;
  logLines: number;
}

/** A run as the model reads it: Completed, Waiting or Failed. */
export function runText(run: Run, reading: RunReading, options: RunTextOptions): string {
  const log = logLines(reading.log, options.logLines, run.id);
  return [...body(run, reading, options, log)].join('\n');
}

function body(run: Run, reading: RunReading, options: RunTextOptions, log: string[]): string[] {
  const took = between(run.createdAt, run.endedAt);
  const id = runIdText(run.id);
  switch (run.state) {
    case 'completed':
      return [
        `Completed: ${id}, ${retried(run)}${count(run.calls, 'call')}${live(run)}, ${took}`,
        ...outputLines(run.output, run.id, 0, options.outputLimit),
        ...log,
      ];
    case 'failed':
      return [
        `Failed: ${id}, ${retried(run)}${count(run.calls, 'call')}${live(run)}, ${took}`,
        ...failureLines(
          run.error,
          reading.calls.find(({ seq }) => seq === run.error?.seq),
        ),
        ...traceLines(last(run, reading), run.calls, run.id),
        ...log,
        `Next: ${nextCall('retry_run', { run_id: run.id, script: '<the corrected script>' })}`,
      ];
    case 'canceled': {
      const reason = /^canceled: (.*)$/s.exec(run.error?.message ?? '')?.[1];
      const why = reason === undefined ? '' : `. Reason: ${literal(reason)}`;
      return [
        `Failed: ${id} was canceled, ${count(run.calls, 'call')}, ${took}${why}`,
        ...traceLines(last(run, reading), run.calls, run.id),
        ...log,
      ];
    }
    case 'expired': {
      const ttl = span(Date.parse(run.expiresAt) - Date.parse(run.createdAt));
      const waits = waitWords(run.waitingFor);
      return [
        `Failed: ${id} expired after ${ttl}, ${count(run.calls, 'call')}${waits && `, while it waited for ${waits}`}`,
        ...traceLines(last(run, reading), run.calls, run.id),
        ...log,
        `Next: ${nextCall('retry_run', { run_id: run.id })}`,
      ];
    }
    default:
      return [
        `Waiting: ${id}, ${retried(run)}${count(done(run), 'call')} done${live(run)}, ${took}`,
        ...waitLines(run, reading.calls),
        ...log,
        `The run goes on by itself. Next: ${nextCall('get_run', { run_id: run.id, wait_seconds: 60 })}`,
      ];
  }
}

/** Without the failing call of long ago, which is shown by itself. */
function last(run: Run, { calls }: RunReading): readonly TraceEntry[] {
  return calls.filter(({ seq }) => seq > run.calls - 20);
}

function done(run: Run): number {
  const open = run.waitingFor.filter(({ kind }) => kind !== 'signal' && kind !== 'sleep').length;
  return Math.max(0, run.calls - open);
}

function retried(run: Run): string {
  return run.retryOf === undefined ? '' : `retry of ${runIdText(run.retryOf)}, `;
}

function live(run: Run): string {
  if (run.retryOf === undefined) return '';
  const from = run.liveFrom;
  const record = run.fromRecord === undefined ? '' : `, ${run.fromRecord} from its record`;
  return from === undefined
    ? record
    : `${record}, live from call #${from.seq}${place({ line: from.line })}`;
}
