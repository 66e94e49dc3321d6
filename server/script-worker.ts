import { totalmem } from 'node:os';
import {
  NativeConnection,
  Runtime,
  Worker,
  type Logger as TemporalLogger,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities';
import type { Store } from '../store/types';
import { RUN_QUEUE } from '../workflows/contract';
import { answering, type TemporalTarget } from './temporal-connection';

/** The process part that runs workflows. */
export interface ScriptWorker {
  /** Rejects where the worker fails by itself; resolves when it has stopped. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export interface ScriptWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  bundlePath: string;
  store: Store;
  /** Runs kept in memory; left out: by the memory there is. */
  maxCachedRuns?: number;
}

const MiB = 1024 * 1024;
/** Memory of one cached run: JavaScript, and the linear memory of its engine, which V8 does not count. */
const RUN_BYTES = 1.5 * MiB;
const MOST_CACHED_RUNS = 4000;

/** Starts to work on runs. */
export async function startScriptWorker(options: ScriptWorkerOptions): Promise<ScriptWorker> {
  const workerOptions: WorkerOptions & { isolateExecutionTimeout: string } = {
    connection: options.connection,
    namespace: options.namespace,
    taskQueue: RUN_QUEUE,
    workflowBundle: { codePath: options.bundlePath },
    activities: createActivities({ store: options.store }),
    enableNonLocalActivities: false,
    reuseV8Context: true,
    maxCachedWorkflows: options.maxCachedRuns ?? cachedRunsFor(memoryBytes()),
    // A script that computes longer than this without a wait has slipped through the sandbox's fuel.
    isolateExecutionTimeout: '3s',
    shutdownGraceTime: '2s',
    shutdownForceTime: '10s',
  };
  const worker = await Worker.create(workerOptions);
  const done = worker.run();
  // Whoever stops the worker gets the failure; until then it must not count as unhandled.
  done.catch(() => undefined);
  return {
    done,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}

/** The script worker's own connection, which goes through the native bridge. */
export function connectNative(target: TemporalTarget): Promise<NativeConnection> {
  return answering(target, () => NativeConnection.connect(target.options));
}

/** How many runs fit half of the memory. */
export function cachedRunsFor(bytes: number): number {
  return Math.max(10, Math.min(MOST_CACHED_RUNS, Math.floor(bytes / 2 / RUN_BYTES)));
}

/** What this process may use: a container's limit, else the machine's memory. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Gives the Temporal SDK our log. Once per process, before the first connection. */
export function installRuntime(logger: Logger): void {
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error'): TemporalLogger['info'] =>
    function (message, meta) {
      logger[level](plain(meta), message);
    };
  const bridge: TemporalLogger = {
    log: (level, message, meta) =>
      write(level.toLowerCase() as Lowercase<typeof level>)(message, meta),
    trace: write('trace'),
    debug: write('debug'),
    // What the SDK tells of its life is for those who look for faults in it.
    info: write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
  // Signals are handled by the composition root, which stops the parts in order.
  Runtime.install({ logger: bridge, shutdownSignals: [] });
}

/** Only what a log line can show. */
function plain(meta: object | undefined): Record<string, unknown> {
  const shown = ['string', 'number', 'boolean'];
  const entries: [string, unknown][] = Object.entries(meta ?? {});
  return Object.fromEntries(
    entries.filter(([, value]) => shown.includes(typeof value) || value instanceof Error),
  ) as Record<string, unknown>;
}
