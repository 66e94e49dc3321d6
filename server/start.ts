import { join } from 'node:path';
import { banner } from './banner';
import type { Config } from './config';
import { createLogger } from './logger';
import { progressLines } from './progress';
import { startSystem } from './system';
import { untilSignal } from './until-signal';

/** `rewind start`: everything in this process, until Ctrl-C. */
export async function start(config: Config): Promise<void> {
  const logFile = join(config.stateDir, 'rewind.log');
  const logger = createLogger(config.logLevel, logFile);
  const system = await startSystem({ config, logger, progress: progressLines() });
  try {
    console.log(banner(config, system));
    await untilSignal(system.failed);
    console.log('\nStopping…');
  } finally {
    await system.close();
  }
}
