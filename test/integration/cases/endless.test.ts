import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { logQuery } from '../../../workflows/contract';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

// FC-29: work inside one built-in, or in promise jobs, that may never come back.
let stage: Stage;
let ticking: string;
beforeAll(async () => {
  stage = await startStage();
  const script = 'for (let n = 0; ; n++) { console.log(n); await sleep("500ms"); }';
  ticking = (await stage.create(script)).id;
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** How often the other run has ticked. */
async function ticks(): Promise<number> {
  const { text } = await stage.runs().log(ticking);
  return Number(text.trimEnd().split('\n').at(-1));
}

const scripts = [
  'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
  'return /^(?:[a-z]+_?)+$/.test("snakesnakesnakesnakesnakesnakesnake-");',
  'return /(?:(?:(?:x?)*)*)*y/.test("x".repeat(64));',
  'return Array.from({ length: 4e7 }, (_, i) => -i).sort().length;',
  'return "ab".repeat(1 << 26).split("").reverse().join("").length;',
  'return new Array(1e9).fill(0).length;',
  'return JSON.stringify(Object.fromEntries(Array.from({ length: 3e6 }, (_, i) => ["k" + i, i]))).length;',
  'await Promise.resolve().then(() => { for (;;); });',
  'return await new Promise(() => { (async () => { for (;;) await null; })(); });',
];
const inPromise = (line: string) =>
  `return await Promise.all([sleep("1ms"), (async () => { ${line} })()]);`;

test.each(scripts.flatMap((line) => [line, inPromise(line)]))(
  'FC-29: %s fails at its limit, the other run ticks on, and a replay ends as well',
  async (line) => {
    const before = await ticks();
    const run = await stage.run(line);
    expect(run.state).toBe('failed');
    expect(run.error?.name).toMatch(/^(LimitError|RangeError)$/);
    // Between two jobs of a loop that only awaits, the engine may be nowhere in the script.
    if (run.error?.line !== undefined || !line.includes('await null')) {
      expect(run.error).toMatchObject({ line: 1, frame: expect.stringContaining('> 1 | ') });
    }
    // Within the CPU limit plus a second, on a machine with work beside this.
    expect(Date.parse(run.endedAt!) - Date.parse(run.createdAt)).toBeLessThan(10_000);
    await eventually(async () => (await ticks()) > before, { within: 10_000 });
    const replayed = await stage.rewind.temporal.client.workflow.getHandle(run.id).query(logQuery);
    expect(JSON.parse(new TextDecoder().decode(replayed))).toMatchObject({ droppedLines: 0 });
  },
);

test('FC-29: large numbers are refused before the run', async () => {
  const script =
    'let n = 7n ** 170_000n; const m = n + 2n; for (let i = 0; i < 500; i++) n = (n * n) % m; return String(n).length;';
  await expect(stage.create(script)).rejects.toMatchObject({ code: 'script_refused' });
});

test('FC-29: all at once, they fail one by one while the other run ticks', async () => {
  const before = await ticks();
  const runs = await Promise.all(scripts.map((line) => stage.create(line)));
  for (const { id } of runs) {
    expect((await stage.runs().wait(id)).state).toBe('failed');
  }
  await eventually(async () => (await ticks()) > before, { within: 10_000 });
});
