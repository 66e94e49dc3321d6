import { HostToolError, type HostToolContext, type Run } from '@rewind.codes/sdk';
import type { CreateRunParams, HostToolWorker, Rewind, Runs, ToolSpec } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startRewind, type TestRewind, type TestRewindOptions } from '../../support/rewind';

const object = (
  properties: Record<string, unknown>,
  required: string[] = [],
): ToolSpec['input'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** The tools that the scripts of these tests call. Nobody serves `nobody.home`. */
export const tools = {
  echo: { description: 'Gives its value back.', input: object({ value: {} }) },
  'math.add': {
    description: 'Adds two numbers; wrongly where one of them is 99.',
    input: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    output: object({ sum: { type: 'number' } }, ['sum']),
  },
  'work.slow': { description: 'Takes until it is told to end.', input: object({}), lease: '2s' },
  'work.fail': {
    description: 'Fails.',
    input: object({ message: { type: 'string' }, data: {} }, ['message']),
  },
  'work.flaky': {
    description: 'Fails so many attempts, then works.',
    input: object({ failures: { type: 'integer' } }, ['failures']),
  },
  'people.ask': {
    description: 'Asks somebody who answers later.',
    input: object({ question: { type: 'string' }, timeout: { type: 'string' } }, ['question']),
  },
  'nobody.home': { description: 'Served by no worker.', input: object({}) },
} satisfies Record<string, ToolSpec>;

/** A system with a toolset and a worker for it. */
export interface Stage {
  rewind: TestRewind;
  client: Rewind;
  toolset: string;
  /** `tool runId/seq attempt` of each handler that was entered. */
  entered: string[];
  /** Runs of one end user. */
  runs(namespace?: string): Runs;
  create(script: string, params?: Partial<CreateRunParams>, namespace?: string): Promise<Run>;
  /** Creates a run and waits for its end. */
  run(script: string, params?: Partial<CreateRunParams>, namespace?: string): Promise<Run>;
  /** Ends the `work.slow` calls of a run, once one was entered. */
  finishSlow(runId: string): Promise<void>;
  /** The token of a deferred call. */
  token(runId: string, seq: number): Promise<string>;
  stop(): Promise<void>;
}

export async function startStage(options?: TestRewindOptions): Promise<Stage> {
  const rewind = await startRewind(options);
  const client = rewind.client();
  const toolset = (await client.toolsets.create({ tools })).id;
  const tokens = new Map<string, string>();
  const slow = new Map<string, () => void>();
  const entered: string[] = [];
  const enter = (tool: string, ctx: HostToolContext) =>
    entered.push(`${tool} ${ctx.idempotencyKey} ${ctx.attempt}`);
  const worker: HostToolWorker = client.worker({
    pollWait: '5s',
    concurrency: 20,
    onError: () => undefined,
    tools: {
      echo: ({ value }: { value: unknown }, ctx) => {
        enter('echo', ctx);
        return value;
      },
      'math.add': ({ a, b }: { a: number; b: number }) =>
        a === 99 || b === 99 ? { sum: 'many' } : { sum: a + b },
      'work.slow': (_input, ctx) => {
        enter('work.slow', ctx);
        return new Promise((resolve) => {
          slow.set(ctx.runId, () => resolve('slowly'));
          ctx.signal.addEventListener('abort', () => resolve('aborted'));
        });
      },
      'work.fail': ({ message, data }: { message: string; data?: unknown }) => {
        throw new HostToolError(message, { data });
      },
      'work.flaky': ({ failures }: { failures: number }, ctx) => {
        enter('work.flaky', ctx);
        if (ctx.attempt > failures) return ctx.attempt;
        throw new HostToolError('not yet', { retryable: true, retryAfter: '10ms' });
      },
      'people.ask': async ({ timeout }: { timeout?: '2s' }, ctx) => {
        const { token } = await ctx.defer(timeout === undefined ? {} : { timeout });
        tokens.set(ctx.idempotencyKey, token);
      },
    },
  });
  const runs = (namespace = 'ada') => client.namespace(namespace).runs;
  const create: Stage['create'] = (script, params, namespace) =>
    runs(namespace).create({ script, toolset, ...params });
  return {
    rewind,
    client,
    toolset,
    entered,
    runs,
    create,
    run: async (script, params, namespace) => {
      const { id } = await create(script, params, namespace);
      return runs(namespace).wait(id, { signal: AbortSignal.timeout(60_000) });
    },
    finishSlow: async (runId) => (await eventually(() => slow.get(runId)))(),
    token: (runId, seq) => eventually(() => tokens.get(`${runId}/${seq}`)),
    stop: async () => {
      await worker.stop();
      await rewind.stop();
    },
  };
}
