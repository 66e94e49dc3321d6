import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { freePort, isPortFree } from './ports';
import { isAlive, isRunning, waitForExit } from './processes';
import { channelArgs } from './temporal-connection';
import { findTemporal } from './temporal-binary';

/** A Temporal server of our own, for development, tests and the first look. */
export interface TemporalServer {
  address: string;
  /** Address of Temporal's web UI, where it was asked for. */
  uiUrl?: string;
  pid: number;
  logFile: string;
  /** Settles when the server is gone, asked for or not. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

export interface TemporalServerOptions {
  /** Kept here; left out: in memory. Holds the pid file as well. */
  stateDir?: string;
  logFile: string;
  ui?: boolean;
  /** More `--dynamic-config-value`s. */
  settings?: string[];
}

/**
 * Settings without which a server is many times slower or unfair: task queues of a busy shard are
 * read on a 50 ms grid, and one user's thousand calls go before another user's single one. Operators
 * of a cluster set the same in its dynamic configuration.
 */
export const temporalSettings = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'matching.enableFairness=true',
  // A poll that no worker waits for any more is ended, instead of taking a call to give it back.
  'frontend.enableCancelWorkerPollsOnShutdown=true',
  // Else a workflow task fails as soon as a hundred events came in while it was worked on, and with
  // a thousand calls in flight no task ever ends: each has two events and an answer of up to 24 KiB.
  'history.maximumBufferedEventsBatch=4000',
  'history.maximumBufferedEventsSizeInBytes=33554432',
  // A run that blocks its thread is marked, and so found and ended, after its second try.
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
];

/** Only good for a server of one process. */
const embeddedSettings = [
  ...temporalSettings,
  // Timers fire up to this much late. The usual second covers for the clocks of several machines.
  'history.timerProcessorMaxTimeShift="10ms"',
  // A search attribute is usable as soon as it is added, not when the next refresh is due.
  'system.forceSearchAttributesCacheRefreshOnRead=true',
];

/**
 * Ends the server when our end of its standard input closes, which happens on every kind of death
 * of this process. The first line of output is the server's pid.
 */
const watcher = `
exec 3<&0
"$@" 3<&- </dev/null >&2 & child=$!
echo $child
(cat <&3 >/dev/null; kill $child 2>/dev/null) >/dev/null 2>&1 &
wait $child`;

const READY_MS = 60_000;
const STOP_MS = 10_000;

/** Starts the server and returns when it answers. A server left behind on the same state is ended first. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const binary = findTemporal();
  if (binary === undefined) {
    throw new Error('No Temporal server was found. Run "npm run setup", or set TEMPORAL_ADDRESS.');
  }
  const pidFile = options.stateDir && join(options.stateDir, 'temporal.pid');
  if (pidFile) await endStale(pidFile);

  const port = await freePort();
  const uiPort = options.ui ? ((await isPortFree(8233)) ? 8233 : await freePort()) : undefined;
  const child = spawnServer(binary, options, port, uiPort);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.stdin?.end();
    if (await settles(exited, STOP_MS)) return;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  try {
    const pid = await firstLine(child);
    if (pidFile) writeFileSync(pidFile, String(pid));
    void exited.then(() => pidFile && rmSync(pidFile, { force: true }));
    const address = `127.0.0.1:${port}`;
    await answers(address, exited, options.logFile);
    return {
      address,
      ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
      pid,
      logFile: options.logFile,
      exited,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function spawnServer(
  binary: string,
  options: TemporalServerOptions,
  port: number,
  uiPort: number | undefined,
): ChildProcess {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)];
  args.push('--log-level', 'warn');
  args.push(...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]));
  if (options.stateDir) args.push('--db-filename', join(options.stateDir, 'temporal.db'));
  for (const setting of [...embeddedSettings, ...(options.settings ?? [])]) {
    args.push('--dynamic-config-value', setting);
  }
  return spawnWatched(binary, args, options.logFile);
}

/** Starts a server that ends with this process, or when its standard input is closed. */
export function spawnWatched(binary: string, args: string[], logFile: string): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  try {
    // Detached: Ctrl-C in the terminal is ours alone, the server is stopped last.
    return spawn('sh', ['-c', watcher, 'sh', binary, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', log],
    });
  } finally {
    closeSync(log);
  }
}

function firstLine(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(Number(text.trim()));
    });
    child.stdout?.once('end', () => reject(new Error('The Temporal server did not start.')));
  });
}

/** Waits until the server answers; tells the end of its log where it does not. */
export async function answers(
  address: string,
  exited: Promise<void>,
  logFile: string,
): Promise<void> {
  let gone = false;
  void exited.then(() => (gone = true));
  const deadline = Date.now() + READY_MS;
  for (;;) {
    try {
      const connection = await Connection.connect({
        address,
        connectTimeout: 1_000,
        channelArgs: channelArgs(address),
      });
      await connection.close();
      return;
    } catch (error) {
      if (gone) {
        throw new Error(`The Temporal server ended at once:\n${tail(logFile)}`, { cause: error });
      }
      if (Date.now() > deadline) {
        throw new Error(`The Temporal server does not answer:\n${tail(logFile)}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-10).join('\n');
}

async function endStale(pidFile: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8'));
  } catch {
    return;
  }
  // The pid may have been given to another program since.
  if (pid > 1 && isRunning(pid, 'temporal')) {
    // Its watcher is about to end it already, so SIGTERM at most repeats that.
    if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    if (!(await waitForExit(pid, STOP_MS))) process.kill(pid, 'SIGKILL');
    await waitForExit(pid, STOP_MS);
  }
  rmSync(pidFile, { force: true });
}

function settles(promise: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
