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

/** Reads a run in every way, again and again until it has ended; gives the slowest of each and the largest. */
async function readWhileOpen(id: string) {
  const runs = theatre.runs();
  const seen = { slowestMs: {} as Record<string, number>, largest: 0 };
  const read = async (name: string, what: () => Promise<unknown>) => {
    const from = Date.now();
    const answer = await what();
    seen.slowestMs[name] = Math.max(seen.slowestMs[name] ?? 0, Date.now() - from);
    seen.largest = Math.max(seen.largest, JSON.stringify(answer).length);
  };
  for (;;) {
    await read('run', () => runs.retrieve(id));
    await read('list', () => runs.list({ limit: 10 }).then(({ data }) => data));
    await read('log', () => runs.log(id));
    await read('trace', () => runs.trace(id, { limit: 50 }).then(({ data }) => data));
    const run = await runs.retrieve(id);
    if (run.endedAt !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

test(
  'FC-17: of 10,000 calls in sequence 8,000 succeed, then one is refused, naming the limit; every read meanwhile is quick and bounded',
  async () => {
    const script = `
      let sum = 0;
      for (let i = 0; i < 10_000; i++) {
        try {
          sum += ((await load.echo({ n: 1 })) as { n: number }).n;
        } catch (error) {
          return { sum, refused: String(error) };
        }
      }
      return { sum };`;
    const from = Date.now();
    const { id } = await theatre.runs().create({ script, toolset });
    const reads = await readWhileOpen(id);
    const ms = Date.now() - from;
    const run = await theatre.runs().retrieve(id);
    const { sum, refused } = run.output as { sum: number; refused: string };
    process.stdout.write(`${sum} calls: ${ms / sum} ms each; reads ${JSON.stringify(reads)}\n`);
    expect(sum).toBeGreaterThanOrEqual(8_000);
    expect(refused).toMatch(/^ToolError: the history of the run is full \(\d+ of 51200 events/);
    expect(reads.largest).toBeLessThan(100_000);
  },
  60 * MINUTE,
);

test(
  'FC-17: what fills the history with large values is refused as well, and the script goes on',
  async () => {
    const script = `
      const text = "x".repeat(23 * 1024);
      let done = 0;
      let refused = "";
      for (let i = 0; i < 100 && !refused; i++) {
        const calls = Array.from({ length: 20 }, () => load.echo({ text }));
        for (const end of await Promise.allSettled(calls)) {
          if (end.status === "fulfilled") done += 1;
          else refused = String(end.reason);
        }
      }
      return { done, refused };`;
    const { id } = await theatre.runs().create({ script, toolset });
    const run = await theatre.runs().wait(id);
    const { done, refused } = run.output as { done: number; refused: string };
    expect(done).toBeGreaterThan(900);
    expect(refused).toMatch(/of 51200 KiB\): return what there is/);
  },
  20 * MINUTE,
);

test(
  'FC-17: 3,000 calls in one Promise.all, and 300 sleeps with 20,000 log lines, complete',
  async () => {
    const fan = `
      const all = await Promise.all(Array.from({ length: 3_000 }, (_, n) => load.echo({ n })));
      return all.map((r) => (r as { n: number }).n).every((n, i) => n === i);`;
    const naps = `
      for (let i = 0; i < 300; i++) { await sleep("10ms"); for (let k = 0; k < 70; k++) console.log(i, k); }
      return "done";`;
    const started = await Promise.all(
      [fan, naps].map((script) => theatre.runs().create({ script, toolset })),
    );
    const ended = await Promise.all(started.map(({ id }) => theatre.runs().wait(id)));
    expect(ended.map(({ output }) => output)).toEqual([true, 'done']);
  },
  20 * MINUTE,
);

test(
  'FC-17: a run of 8,000 calls goes on after a restart: its replay fits one workflow task',
  async () => {
    const script = `
      for (let i = 0; i < 8_000; i++) await load.echo({ n: i });
      const go = await waitForSignal<string>("go");
      return go;`;
    const { id } = await theatre.runs().create({ script, toolset });
    await eventually(async () => (await theatre.runs().retrieve(id)).state === 'waiting', {
      within: 30 * MINUTE,
      every: 1000,
    });
    await theatre.rewind.restartScriptWorker();
    const from = Date.now();
    await theatre.runs().signal(id, 'go', 'on');
    const run = await theatre.runs().wait(id);
    process.stdout.write(`replay of 8,000 calls: ${Date.now() - from} ms\n`);
    expect(run).toMatchObject({ state: 'completed', output: 'on' });
  },
  40 * MINUTE,
);
