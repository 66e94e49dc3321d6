import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPortFree } from '../../server/ports';
import { answers, spawnWatched } from '../../server/temporal-server';
import { startPostgres } from '../../test/support/postgres';
import { ensureBinaries } from './binaries';
import { dynamicConfig, PORTS, serverConfig } from './config';

/** A real Temporal server on a PostgreSQL of its own, which holds Rewind's database as well. */
export interface Cluster {
  address: string;
  /** Of an empty database, for Rewind. */
  databaseUrl: string;
  logFile: string;
  stop(): Promise<void>;
}

const schemas = { temporal: 'temporal', temporal_visibility: 'visibility' };

/** Builds what is missing, starts all of it and returns when the server answers. */
export async function startCluster(): Promise<Cluster> {
  const { server, sql } = ensureBinaries();
  const folder = join(__dirname, '..', '..', '.rewind', 'cluster');
  const logFile = join(folder, 'temporal.log');
  mkdirSync(folder, { recursive: true });
  // Each role of the server keeps connections of its own, and so does each gateway.
  const postgres = await startPostgres({ settings: ['max_connections=300'] });
  let stop = () => postgres.stop();
  try {
    const database = new URL(postgres.url);
    for (const [name, schema] of Object.entries(schemas)) createSchema(sql, database, name, schema);
    const ports = await freePorts(PORTS);
    const file = (name: string) => join(folder, `${name}-${process.pid}.yaml`);
    writeFileSync(file('dynamic'), dynamicConfig());
    const config = serverConfig({ database, ports, dynamicConfig: file('dynamic') });
    writeFileSync(file('server'), config);
    const args = ['--config-file', file('server'), '--allow-no-auth', 'start'];
    const child = spawnWatched(server, args, logFile);
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    stop = async () => {
      child.stdin?.end();
      await exited;
      await postgres.stop();
    };
    const address = `127.0.0.1:${ports[0]}`;
    await answers(address, exited, logFile);
    return { address, databaseUrl: postgres.url, logFile, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Temporal's PostgreSQL schema keeps a member's port in 16 signed bits: the system's own choice is above. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(10_000, 32_768);
    if (await isPortFree(port)) ports.add(port);
  }
  return [...ports];
}

function createSchema(sql: string, database: URL, name: string, schema: string): void {
  const run = (...command: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      sql,
      [
        ...['--plugin', 'postgres12', '--endpoint', database.hostname, '--port', database.port],
        ...['--user', database.username, '--database', name, ...command],
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${command.join(' ')} of ${name}: ${stdout}${stderr}`);
  };
  run('create-database');
  run('setup-schema', '--version', '0.0');
  run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
}
