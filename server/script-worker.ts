import { totalmem } from 'node:os';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { largeValues } from '../gateway/temporal/large-values';
import type { Store } from '../store/types';
import { RUN_QUEUE } from '../workflows/contract';
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
}

const MiB = 1024 * 1024;
/** Memory of one cached run: JavaScript, and the linear memory of its engine, which V8 does not count. */
const RUN_BYTES = 1.5 * MiB;
const MOST_CACHED_RUNS = 4000;

/** Starts to work on runs. */
export async function startScriptWorker(options: ScriptWorkerOptions): Promise<ScriptWorker> {
  const { target } = options;
  const connection = await answering(target, () => NativeConnection.connect(target.options));
  const workerOptions: WorkerOptions & { isolateExecutionTimeout: string } = {
    connection,
    namespace: target.namespace,
    taskQueue: RUN_QUEUE,
    workflowBundle: { codePath: options.bundlePath },
    dataConverter: { externalStorage: largeValues(options.store) },
    activities: createActivities({ store: options.store }),
    enableNonLocalActivities: false,
    reuseV8Context: true,
    // How long a task waits for the process that has its run in memory, and which may be dead.
    stickyQueueScheduleToStartTimeout: '3s',
    maxCachedWorkflows: options.maxCachedRuns ?? cachedRunsFor(memoryBytes()),
    // A script is out of fuel before: what takes longer is outside of the sandbox, or the machine is overloaded.
    isolateExecutionTimeout: '5s',
    shutdownGraceTime: '2s',
    shutdownForceTime: '10s',
  };
  guardWorkflowThreads();
  const worker = await Worker.create(workerOptions).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const done = worker.run();
  // Whoever stops the worker gets the failure; until then it must not count as unhandled.
  done.catch(() => undefined);
  return {
    done,
    stop: async () => {
      try {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await done;
      } finally {
        await connection.close();
      }
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
