#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../sdk/version';
import { ConfigError, loadConfig, type Config } from './config';
import { doctor } from './doctor';
import { createLogger } from './logger';
import { silently } from './progress';
import { start } from './start';
import { StateInUseError } from './state-lock';
import { openStore } from './store';
import { startSystem } from './system';
import { untilSignal } from './until-signal';

const program = new Command('rewind')
  .description('Durable TypeScript scripts for AI agents, on Temporal')
  .version(version)
  .option('--state <folder>', 'what embedded parts keep', '.rewind');

const config = (): Config =>
  loadConfig(process.env, { stateDir: program.opts<{ state: string }>().state });

program
  .command('start')
  .description('everything in one process, with an embedded Temporal server and database')
  .action(() => start(config()));

program
  .command('gateway')
  .description('the HTTP API; any number of them, with PostgreSQL')
  .action(() => part({ gateway: true }));

program
  .command('script-worker')
  .description('runs the scripts; any number of them, with PostgreSQL')
  .action(() => part({ scriptWorker: true }));

program
  .command('migrate')
  .description('brings the database up to date')
  .action(async () => {
    const settings = config();
    if (settings.databaseUrl === undefined) {
      return console.log('The embedded database is brought up to date by "rewind start" itself.');
    }
    const store = await openStore(settings);
    await store.close();
    console.log('The database is up to date.');
  });

program
  .command('doctor')
  .description('checks the Temporal server and the database, and says what is missing')
  .action(async () => {
    if (!(await doctor(config()))) process.exitCode = 1;
  });

/** One part, in a process of its own: logs go to standard output, as containers want it. */
async function part(parts: { gateway?: boolean; scriptWorker?: boolean }): Promise<void> {
  const settings = config();
  if (settings.databaseUrl === undefined) {
    throw new ConfigError(
      'REWIND_DATABASE_URL is not set. A gateway and a script worker apart need PostgreSQL: the ' +
        'embedded database serves one process. For everything in one process: rewind start',
    );
  }
  const logger = createLogger(settings.logLevel);
  const system = await startSystem({ config: settings, logger, parts, progress: silently });
  logger.info({ url: system.url || undefined, namespace: system.temporal.namespace }, 'ready');
  try {
    await untilSignal(system.failed);
    logger.info('stopping');
  } finally {
    await system.close();
  }
}

program.parseAsync().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof StateInUseError;
  console.error(expected || !process.env['REWIND_DEBUG'] ? `\n${messageOf(error)}` : error);
  process.exit(1);
});

/** With what led to it, for those who have to mend it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined
    ? error.message
    : `${error.message}\n  ${messageOf(error.cause)}`;
}
