import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openTheatre, type Theatre } from '../integration/host-tools/theatre';
import { eventually } from '../support/eventually';

const MINUTE = 60_000;

let theatre: Theatre;
let toolset: string;
beforeAll(async () => {
  theatre = await openTheatre();
  toolset = await theatre.declare({ 'load.echo': {} });
  theatre.worker({ 'load.echo': (input: unknown) => input }, { concurrency: 50 });
}, 2 * MINUTE);
afterAll(() => theatre.stop(), MINUTE);

/** Reads a run in every way, again and again until it has ended; gives the slowest and the largest. */
async function readWhileOpen(id: string): Promise<{ slowestMs: number; largest: number }> {
  const runs = theatre.runs();
  const seen = { slowestMs: 0, largest: 0 };
  const read = async (what: () => Promise<unknown>) => {
    const from = Date.now();
    const answer = await what();
    seen.slowestMs = Math.max(seen.slowestMs, Date.now() - from);
    seen.largest = Math.max(seen.largest, JSON.stringify(answer).length);
  };
  for (;;) {
    await read(() => runs.retrieve(id));
    await read(() => runs.list({ limit: 10 }).then(({ data }) => data));
    await read(() => runs.log(id));
    await read(() => runs.trace(id, { limit: 50 }).then(({ data }) => data));
    const run = await runs.retrieve(id);
    if (run.endedAt !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

test(
  'FC-17: 8,000 calls in sequence complete, and every read meanwhile is quick and bounded',
  async () => {
    const script = `
      let sum = 0;
      for (let i = 0; i < 8_000; i++) sum += ((await load.echo({ n: 1 })) as { n: number }).n;
      return sum;`;
    const from = Date.now();
    const { id } = await theatre.runs().create({ script, toolset });
    const reads = await readWhileOpen(id);
    const ms = Date.now() - from;
    expect(await theatre.runs().retrieve(id)).toMatchObject({ state: 'completed', output: 8_000 });
    process.stdout.write(`8,000 calls: ${ms / 8_000} ms each; reads ${JSON.stringify(reads)}\n`);
    expect(reads.largest).toBeLessThan(100_000);
  },
  30 * MINUTE,
);

test(
  'a run of 2,000 calls goes on after a restart: its replay fits one workflow task',
  async () => {
    const script = `
      for (let i = 0; i < 2_000; i++) await load.echo({ n: i });
      const go = await waitForSignal<string>("go");
      return go;`;
    const { id } = await theatre.runs().create({ script, toolset });
    await eventually(async () => (await theatre.runs().retrieve(id)).state === 'waiting', {
      within: 5 * MINUTE,
      every: 1000,
    });
    await theatre.rewind.restartScriptWorker();
    const from = Date.now();
    await theatre.runs().signal(id, 'go', 'on');
    const run = await theatre.runs().wait(id);
    process.stdout.write(`replay of 2,000 calls: ${Date.now() - from} ms\n`);
    expect(run).toMatchObject({ state: 'completed', output: 'on' });
  },
  10 * MINUTE,
);
