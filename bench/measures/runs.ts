import { randomUUID } from 'node:crypto';
import { median, timed, type Measure } from '../measure';
import type { Stage } from '../stage';

/** A run from its start to its result in the hands of who started it. */
export async function run(stage: Stage, script: string): Promise<unknown> {
  const { runs } = stage.rewind.namespace('bench');
  const { id } = await runs.create({ script, toolset: stage.toolset });
  const ended = await runs.wait(id);
  if (ended.state !== 'completed') throw new Error(`a run failed: ${JSON.stringify(ended.error)}`);
  return ended.output;
}

export function native(stage: Stage, workflow: string, ...args: unknown[]): Promise<unknown> {
  const options = { workflowId: randomUUID(), taskQueue: 'native', args };
  return stage.temporal.workflow.execute(workflow, options);
}

const each = async (count: number, work: () => Promise<unknown>) => {
  const values: number[] = [];
  for (let index = 0; index < count; index += 1) values.push(await timed(work));
  return median(values);
};

const CALLS = 50;

/** Milliseconds a call adds. */
async function perCall(
  none: () => Promise<unknown>,
  some: () => Promise<unknown>,
): Promise<number> {
  const without = await each(3, none);
  return ((await timed(some)) - without) / CALLS;
}

const loop = (tool: string) =>
  `let sum = 0; for (let n = 0; n < ${CALLS}; n++) sum += (await ${tool}({ n: 1 }) as { n: number }).n; return sum;`;

const sequential = (name: string, tool: string, ratio: number): Measure => ({
  name,
  unit: 'ms',
  goal: { ratio, at: 'most' },
  rewind: (stage) =>
    perCall(
      () => run(stage, 'return 1;'),
      () => run(stage, loop(tool)),
    ),
  native: (stage) =>
    perCall(
      () => native(stage, 'hello'),
      () => native(stage, 'sequential', CALLS),
    ),
});

export const runMeasures: Measure[] = [
  {
    // The same text each time, so that it is checked once.
    name: 'run without calls',
    unit: 'ms',
    goal: { ratio: 1.15, at: 'most' },
    rewind: (stage) => each(20, () => run(stage, 'return "hello";')),
    native: (stage) => each(20, () => native(stage, 'hello')),
  },
  {
    name: 'run of a new script',
    unit: 'ms',
    goal: { ratio: 1.15, at: 'most' },
    rewind: (stage) => each(20, () => run(stage, `return "hello ${randomUUID()}";`)),
    native: (stage) => each(20, () => native(stage, 'hello')),
  },
  sequential('sequential call', 'bench.echo', 1.15),
  sequential('sequential call, at most once', 'bench.once', 1.3),
  {
    name: '100 parallel calls',
    unit: 'ms',
    goal: { ratio: 1.2, at: 'most' },
    rewind: (stage) =>
      timed(() =>
        run(
          stage,
          'const all = await Promise.all(Array.from({ length: 100 }, (_, n) => bench.echo({ n }))); return all.length;',
        ),
      ),
    native: (stage) => timed(() => native(stage, 'parallel', 100)),
  },
  {
    name: '200 runs of 5 calls, 50 at once',
    unit: 'calls/s',
    goal: { ratio: 0.9, at: 'least' },
    rewind: (stage) => throughput(() => run(stage, loop('bench.echo').replace('50', '5'))),
    native: (stage) => throughput(() => native(stage, 'sequential', 5)),
  },
];

async function throughput(work: () => Promise<unknown>): Promise<number> {
  let left = 200;
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        while (left-- > 0) await work();
      }),
    ),
  );
  return (200 * 5) / (ms / 1000);
}
