import { setTimeout as sleep } from 'node:timers/promises';
import type {
  HostToolHandler,
  Rewind,
  Run,
  Runs,
  ToolSpec,
  WorkerOptions,
} from '@rewind.codes/sdk';
import { startRewind, type TestRewind } from '../../support/rewind';

/** A system for tests that bring their own tools and workers. */
export interface Theatre {
  rewind: TestRewind;
  client: Rewind;
  runs(namespace?: string): Runs;
  /** Declares tools that take and give anything. Names are made unique, so that tests share no worker. */
  declare(tools: Record<string, Partial<ToolSpec>>): Promise<string>;
  /** A worker that is stopped at the end of the test file, if not before. */
  worker(
    tools: Record<string, HostToolHandler>,
    options?: Partial<WorkerOptions>,
  ): ReturnType<Rewind['worker']>;
  /** Creates a run and waits for its end. */
  run(toolset: string, script: string, options?: RunOptions): Promise<Run>;
  stop(): Promise<void>;
}

export interface RunOptions {
  input?: unknown;
  namespace?: string;
  labels?: Record<string, string>;
}

export async function openTheatre(): Promise<Theatre> {
  const rewind = await startRewind();
  const client = rewind.client();
  const workers: ReturnType<Rewind['worker']>[] = [];
  const runs = (namespace = 'ada') => client.namespace(namespace).runs;
  return {
    rewind,
    client,
    runs,
    declare: async (tools) => {
      const declared = Object.entries(tools).map(([name, spec]) => [
        name,
        { description: name, input: { type: 'object' }, ...spec },
      ]);
      return (await client.toolsets.create({ tools: Object.fromEntries(declared) as never })).id;
    },
    worker: (tools, options) => {
      const worker = client.worker({ pollWait: '2s', onError: () => undefined, ...options, tools });
      worker.done.catch(() => undefined);
      workers.push(worker);
      return worker;
    },
    run: async (toolset, script, { namespace, ...params } = {}) => {
      const { id } = await runs(namespace).create({ script, toolset, ...params });
      return runs(namespace).wait(id, { signal: AbortSignal.timeout(60_000) });
    },
    stop: async () => {
      // A handler that a failed test left behind must not hold up the rest.
      const stopped = Promise.all(workers.map((worker) => worker.stop().catch(() => undefined)));
      await Promise.race([stopped, sleep(10_000, undefined, { ref: false })]);
      await rewind.stop();
    },
  };
}

/** A promise and what settles it. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open };
}
