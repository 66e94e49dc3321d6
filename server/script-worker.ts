import { totalmem } from 'node:os';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { largeValues } from '../gateway/temporal/large-values';
import type { Store } from '../store/types';
import { RUN_QUEUE } from '../workflows/contract';
import { watchMemory } from './memory-watch';
import { answering, type TemporalTarget } from './temporal-connection';
import { guardWorkflowThreads } from './workflow-threads';

/** The process part that runs workflows. */
export interface ScriptWorker {
  /** Rejects where the worker fails by itself; resolves when it has stopped. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export interface ScriptWorkerOptions {
  target: TemporalTarget;
  bundlePath: string;
  store: Store;
  /** Runs kept in memory; left out: by the memory there is. */
  maxCachedRuns?: number;
  /** What this process may use; left out: a container's limit, else the machine's memory. */
  memoryBytes?: number;
  /** The memory ran short, and the cache was made smaller. */
  onShrink?: (to: { runs: number; residentBytes: number }) => void;
}

const MiB = 1024 * 1024;
/** Memory of one cached run: JavaScript, and the linear memory of its engine, which V8 does not count. */
const RUN_BYTES = 1.5 * MiB;
const MOST_CACHED_RUNS = 4000;

/**
 * Starts to work on runs. The cache of Temporal's worker counts runs and cannot be changed later, so
 * where the memory runs short another worker with a smaller one takes its place in this process.
 */
export async function startScriptWorker(options: ScriptWorkerOptions): Promise<ScriptWorker> {
  const memory = options.memoryBytes ?? memoryBytes();
  guardWorkflowThreads();
  let worker = await startWorker(options, options.maxCachedRuns ?? cachedRunsFor(memory));
  let stopped = false;
  let settle: { resolve: () => void; reject: (error: unknown) => void };
  const done = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // Whoever stops the worker gets the failure; until then it must not count as unhandled.
  done.catch(() => undefined);
  const replaced = new Set<OneWorker>();
  const follow = (followed: OneWorker) => {
    followed.done.then(
      () => replaced.has(followed) || settle.resolve(),
      (error: unknown) => settle.reject(error),
    );
  };
  follow(worker);
  let replacing: Promise<void> = Promise.resolve();
  const replace = async (maxCachedRuns: number) => {
    const old = worker;
    replaced.add(old);
    // Both at once: no run waits for the end of the old one.
    const [next] = await Promise.all([startWorker(options, maxCachedRuns), old.stop()]);
    worker = next;
    follow(worker);
  };
  const watch = watchMemory({
    limit: memory,
    cached: () => worker.cached(),
    shrink: (runs) => {
      if (stopped) return Promise.resolve();
      options.onShrink?.({ runs, residentBytes: process.memoryUsage.rss() });
      replacing = replace(runs).catch((error: unknown) => settle.reject(error));
      return replacing;
    },
  });
  return {
    done,
    stop: async () => {
      stopped = true;
      watch.stop();
      await replacing;
      await worker.stop();
      await done;
    },
  };
}

interface OneWorker {
  done: Promise<void>;
  cached(): number;
  stop(): Promise<void>;
}

async function startWorker(
  options: ScriptWorkerOptions,
  maxCachedRuns: number,
): Promise<OneWorker> {
  const { target } = options;
  // A connection serves one worker of a queue.
  const connection = await answering(target, () => NativeConnection.connect(target.options));
  const workerOptions: WorkerOptions & { isolateExecutionTimeout: string } = {
    connection,
    namespace: target.namespace,
    taskQueue: RUN_QUEUE,
    workflowBundle: { codePath: options.bundlePath },
    dataConverter: { externalStorage: largeValues(options.store) },
    activities: createActivities({ store: options.store }),
    reuseV8Context: true,
    // How long a task waits for the process that has its run in memory, and which may be dead.
    stickyQueueScheduleToStartTimeout: '3s',
    maxCachedWorkflows: maxCachedRuns,
    // A script is out of fuel before: what takes longer is outside of the sandbox, or the machine is overloaded.
    isolateExecutionTimeout: '5s',
    shutdownGraceTime: '2s',
    shutdownForceTime: '10s',
  };
  const worker = await Worker.create(workerOptions).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const done = worker.run().finally(() => connection.close());
  done.catch(() => undefined);
  return {
    done,
    cached: () => worker.getStatus().numCachedWorkflows,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
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
