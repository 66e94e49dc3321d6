import type { Config } from './config';
import { RETENTION_DAYS, inspectNamespace, problems } from './namespace';
import { openStore } from './store';
import { connectTemporal, temporalTarget } from './temporal-connection';
import { temporalSettings } from './temporal-server';

/** Looks at everything the server needs and says what is missing. True where nothing is. */
export async function doctor(
  config: Config,
  write: (line: string) => void = console.log,
): Promise<boolean> {
  const temporal = await checkTemporal(write);
  const database = await checkDatabase(config, write);
  write(temporal && database ? '\nEverything that is needed is there.' : '\nSomething is missing.');
  return temporal && database;
}

async function checkTemporal(write: (line: string) => void): Promise<boolean> {
  const target = temporalTarget();
  const address = target.options.address ?? 'localhost:7233';
  try {
    const temporal = await connectTemporal(target);
    try {
      const info = await temporal.connection.workflowService.getSystemInfo({});
      write(`ok    Temporal server at ${address}, version ${info.serverVersion || 'unknown'}`);
      const state = await inspectNamespace(temporal.connection, target.namespace);
      const found = problems(target.namespace, state);
      if (state.exists) write(`ok    namespace "${target.namespace}"`);
      if (state.exists && state.retentionDays >= RETENTION_DAYS) {
        write(`ok    ended runs are kept for ${state.retentionDays} d`);
      }
      if (state.missing.length === 0) write('ok    search attributes');
      for (const { fatal, message, command } of found) {
        write(`${fatal ? 'FAIL ' : 'warn '} ${message}\n      ${command}`);
      }
      write(
        'note  A server does not tell its dynamic settings. On a cluster of yours these make calls ' +
          `fast and fair:\n      ${temporalSettings.join('\n      ')}`,
      );
      return !found.some(({ fatal }) => fatal);
    } finally {
      await temporal.close();
    }
  } catch (error) {
    write(`FAIL  ${error instanceof Error ? error.message : String(error)}`);
    write('      "npm start" brings a Temporal server of its own along.');
    return false;
  }
}

async function checkDatabase(config: Config, write: (line: string) => void): Promise<boolean> {
  if (config.databaseUrl === undefined) {
    write(`ok    embedded database, in ${config.stateDir}`);
    return true;
  }
  try {
    const store = await openStore(config);
    try {
      await store.ping();
      write('ok    PostgreSQL');
      return true;
    } finally {
      await store.close();
    }
  } catch (error) {
    write(`FAIL  PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
