import { join } from 'node:path';
import threads, { type WorkerOptions } from 'node:worker_threads';

/** Marks the constructor that is guarded already: jest loads this file once for each test file. */
const guarded = Symbol.for('rewind.guarded-threads');

/**
 * Lets workflow threads live on when a script was stopped for blocking (see thread-guard.cjs). Temporal's
 * worker makes the threads itself and takes no options for them, hence the change of the constructor;
 * other threads are made as ever.
 */
export function guardWorkflowThreads(): void {
  const { Worker } = threads;
  if (guarded in Worker) return;
  class GuardedWorker extends Worker {
    static readonly [guarded] = true;
    constructor(filename: string | URL, options: WorkerOptions = {}) {
      super(filename, isWorkflowThread(filename) ? withGuard(options) : options);
    }
  }
  threads.Worker = GuardedWorker;
}

function isWorkflowThread(filename: string | URL): boolean {
  return String(filename).includes('workflow-worker-thread');
}

function withGuard(options: WorkerOptions): WorkerOptions {
  const guard = join(__dirname, 'thread-guard.cjs');
  const execArgv = [
    ...(options.execArgv ?? process.execArgv),
    '--expose-internals',
    '--require',
    guard,
  ];
  return { ...options, execArgv };
}
