import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Rewind } from '@rewind.codes/sdk';
import { channelArgs } from '../server/temporal-connection';
import { startTemporalServer } from '../server/temporal-server';
import { startProgram, type ChildProgram } from '../test/support/child-process';
import { startPostgres } from '../test/support/postgres';

/** Names of the processes that work; each one's CPU is told. */
export const names = [
  'temporal',
  'native workflows',
  'native activities',
  'gateway',
  'script worker',
  'sdk worker',
] as const;
export type Name = (typeof names)[number];

/** Everything that is measured, each part in a process of its own, as in production. */
export interface Stage {
  temporal: Client;
  rewind: Rewind;
  toolset: string;
  pid(name: Name): number;
  /** Its output so far. */
  sdkWorker(): ChildProgram;
  /** kill -9, and at once another, as a supervisor would. */
  replaceScriptWorker(): Promise<void>;
  folder: string;
  /** Of the script worker. */
  bundle(): string;
  stop(): Promise<void>;
}

const NAMESPACE = 'rewind-bench';

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'rewind-bench-'));
  mkdirSync(join(folder, 'temporal'));
  const postgres = await startPostgres();
  const server = await startTemporalServer({
    stateDir: join(folder, 'temporal'),
    logFile: join(folder, 'temporal.log'),
  });
  const apiKey = `rw_${randomUUID()}`;
  const environment = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    REWIND_DATABASE_URL: postgres.url,
    REWIND_SEAL_KEYS: randomUUID() + randomUUID(),
    REWIND_ROOT_KEY: apiKey,
    REWIND_PORT: '0',
    REWIND_QUOTA_RUNS: '100000',
  };
  const rewindPart = (command: string) =>
    startProgram('server/main.ts', [command, '--state', folder], { env: environment });
  const programs = new Map<Name, ChildProgram>();
  const start = async (name: Name, program: ChildProgram, ready: RegExp) => {
    programs.set(name, program);
    return program.line(ready);
  };
  const match = await start('gateway', rewindPart('gateway'), /"url":"([^"]+)".*"ready"/);
  const baseURL = match[1] ?? '';
  await start('script worker', rewindPart('script-worker'), /"ready"/);
  const sdkEnvironment = { REWIND_API_KEY: apiKey, REWIND_BASE_URL: baseURL };
  await start(
    'sdk worker',
    startProgram('bench/sdk-worker.ts', [], { env: sdkEnvironment }),
    /^ready/,
  );
  for (const part of ['workflows', 'activities'] as const) {
    const program = startProgram('bench/native/worker.ts', [part, server.address, NAMESPACE]);
    await start(`native ${part}`, program, /^ready/);
  }
  const connection = await Connection.connect({
    address: server.address,
    channelArgs: channelArgs(server.address),
  });
  const rewind = new Rewind({ apiKey, baseURL });
  const any = { description: 'Measured.', input: { type: 'object' }, lease: '10s' } as const;
  const { id } = await rewind.toolsets.create({
    tools: {
      'bench.echo': any,
      'bench.once': { ...any, policy: 'at_most_once' },
      'bench.slow': any,
    },
  });
  return {
    temporal: new Client({ connection, namespace: NAMESPACE }),
    rewind,
    toolset: id,
    pid: (name) => (name === 'temporal' ? server.pid : (programs.get(name)?.pid ?? 0)),
    sdkWorker: () => programs.get('sdk worker') as ChildProgram,
    replaceScriptWorker: async () => {
      await programs.get('script worker')?.kill('SIGKILL');
      programs.set('script worker', rewindPart('script-worker'));
    },
    folder,
    bundle: () => {
      const file = readdirSync(folder).find((name) => name.startsWith('workflow-bundle'));
      return join(folder, file ?? '');
    },
    stop: async () => {
      await Promise.all([...programs.values()].map((program) => program.kill('SIGKILL')));
      await connection.close();
      await server.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Seconds of CPU that a process has used, in both modes. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Memory of a process that is in use, in MB. */
export function residentMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}
