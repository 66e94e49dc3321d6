import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { logQuery } from '../../../workflows/contract';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

// FC-29: work inside one built-in, or in promise jobs, that may never come back.
let stage: Stage;
let ticking: string;
beforeAll(async () => {
  stage = await startStage();
  const script = 'for (;;) { console.log(Date.now()); await sleep("200ms"); }';
  ticking = (await stage.create(script)).id;
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** When the other run ticked, by its own clock. */
async function ticks(): Promise<number[]> {
  const { text } = await stage.runs().log(ticking);
  return text.trimEnd().split('\n').map(Number);
}

/** The longest time from tick to tick since then, up to a tick that is still to come. */
async function longestGap(since: number): Promise<number> {
  const now = Date.now();
  const all = await eventually(async () => {
    const list = await ticks();
    return list.some((tick) => tick > now) ? list : undefined;
  });
  const gaps = all.map((tick, at) => (tick > since ? tick - (all[at - 1] ?? tick) : 0));
  return Math.max(...gaps);
}

/** 2 s on a machine of its own; the rest is for one that does other work beside this. */
const LONGEST_GAP = 8_000;

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
  // One call that would take hours, and small loops of calls that take milliseconds each.
  'return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b");',
  'const a = "a".repeat(2e7); const b = a + "b"; let n = 0; for (;;) n += a < b ? 1 : 0;',
  'const a = "a,".repeat(1e5); for (;;) a.split(",");',
  'const a = new Uint8Array(2e7); for (;;) a.copyWithin(0, 1);',
  // Work that the host does for it.
  'for (;;) void sleep("1s");',
  'for (;;) void echo({ value: 1 });',
  'for (;;) console.log("\\n".repeat(10000));',
  'let a: unknown = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a).length;',
];
const inPromise = (line: string) =>
  `return await Promise.all([sleep("1ms"), (async () => { ${line} })()]);`;

test.each(scripts.flatMap((line) => [line, inPromise(line)]))(
  'FC-29: %s fails at its limit, the other run ticks on, and a replay ends as well',
  async (line) => {
    const began = Date.now();
    const run = await stage.run(line);
    expect(run.state).toBe('failed');
    expect(run.error?.name).toMatch(/^(LimitError|RangeError)$/);
    // Stopped by its fuel, not from outside.
    expect(run.error?.message).not.toContain('held up');
    expect(run.error).toMatchObject({ line: 1, frame: expect.stringContaining('> 1 | ') });
    // Within the CPU limit plus a second, on a machine with work beside this.
    expect(Date.parse(run.endedAt!) - Date.parse(run.createdAt)).toBeLessThan(20_000);
    expect(await longestGap(began)).toBeLessThan(LONGEST_GAP);
    const replayed = await eventually(() =>
      stage.rewind.temporal.client.workflow.getHandle(run.id).query(logQuery),
    );
    const again: unknown = JSON.parse(new TextDecoder().decode(replayed));
    expect(again).toMatchObject({ droppedLines: expect.any(Number) });
  },
);

test('FC-29: large numbers are refused before the run', async () => {
  const script =
    'let n = 7n ** 170_000n; const m = n + 2n; for (let i = 0; i < 500; i++) n = (n * n) % m; return String(n).length;';
  await expect(stage.create(script)).rejects.toMatchObject({ code: 'script_refused' });
});

test('FC-29: all at once, they fail one by one while the other run ticks', async () => {
  const before = (await ticks()).length;
  const runs = await Promise.all(scripts.map((line) => stage.create(line)));
  for (const { id } of runs) {
    expect((await stage.runs().wait(id)).state).toBe('failed');
  }
  await eventually(async () => (await ticks()).length > before, { within: 10_000 });
}, 120_000);
