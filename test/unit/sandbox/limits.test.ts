import { describe, expect, test } from '@jest/globals';
import { compileEngine, createSandbox } from '../../../sandbox';
import { readFileSync } from 'node:fs';
import { failure, output, run } from './support';

const oneLiners = [
  'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
  'return /^(?:[a-z]+_?)+$/.test("snakesnakesnakesnakesnakesnakesnake-");',
  'return /(?:(?:(?:x?)*)*)*y/.test("x".repeat(64));',
  'return Array.from({ length: 4e7 }, (_, i) => -i).sort().length;',
  'return "ab".repeat(1 << 26).split("").reverse().join("").length;',
  'return new Array(1e9).fill(0).length;',
  'return JSON.stringify(Object.fromEntries(Array.from({ length: 3e6 }, (_, i) => ["k" + i, i]))).length;',
  'await Promise.resolve().then(() => { for (;;); });',
  'return await new Promise(() => { (async () => { for (;;) await null; })(); });',
  'const a = []; a.length = 2 ** 32 - 1; return a.includes(1);',
  'for (;;) JSON.stringify({ a: [1, 2, 3], b: "x".repeat(100) });',
  'const m = new Map(); for (let i = 0; ; i++) m.set(i % 5000, "v" + i);',
  'const t = Date.now(); while (Date.now() < t + 1000);',
];

describe('FC-29: work that never comes back', () => {
  test.each(oneLiners)('ends with a limit or a RangeError: %s', async (script) => {
    const error = await failure(script);
    expect(['LimitError', 'RangeError']).toContain(error.name);
  });

  test.each(oneLiners)('ends likewise inside a promise: %s', async (script) => {
    const error = await failure(`return await (async () => { await null; ${script} })()`);
    expect(['LimitError', 'RangeError']).toContain(error.name);
  });
});

// Which line: that is prepared by the type-checker's loop marks, and shown in check/positions.test.ts.
test('a stop for computing names the time, the way out and a place in the script', async () => {
  const error = await failure('let n = 0;\nfor (;;) n = Math.max(n, 1);');
  expect(error).toMatchObject({ name: 'LimitError', limit: 'cpu' });
  expect(error.message).toBe(
    'stopped after about 0.7 s of computing without a wait; to wait, use sleep()',
  );
  expect(error.frames).not.toEqual([]);
});

test('an interrupt cannot be caught: the guest is not run again', async () => {
  for (const script of [
    'try { for (;;); } catch { return 1 } finally { return 2 }',
    'try { await (async () => { for (;;); })() } catch { return 1 }',
    'await Promise.race([new Promise(() => { for (;;); }), 1]); return 1',
  ]) {
    expect(await failure(script)).toMatchObject({ name: 'LimitError', limit: 'cpu' });
  }
});

test('each wait gives new fuel, within the fuel of the whole run', async () => {
  const loop =
    'for (let k = 0; k < 20; k++) { for (let i = 0; i < 200000; i++); await ask({}) } return "done"';
  expect(await output(loop)).toBe('done');
  const error = await failure(loop, { limits: { fuelPerRun: 500_000_000 } });
  expect(error).toMatchObject({
    limit: 'cpu',
    message: 'stopped after about 60 s of computing in all',
  });
});

test('the heap limit ends the run and names its size', async () => {
  const error = await failure(
    'const all = []; for (;;) all.push("x".repeat(100000) + all.length);',
  );
  expect(error).toMatchObject({
    limit: 'memory',
    message: 'stopped: the script needs more than 64 MiB of memory',
  });
});

test('endless recursion is a RangeError that can be caught, and names the stack when it is not', async () => {
  expect(await output('const f = () => f(); try { f() } catch (e) { return e.name }')).toBe(
    'RangeError',
  );
  expect(await failure('const f = () => f(); f()')).toMatchObject({ limit: 'stack' });
});

test('output and arguments over their limit are refused with the limit', async () => {
  const limits = { outputBytes: 100, argumentsBytes: 50 };
  expect(await failure('return "é".repeat(50)', { limits })).toMatchObject({
    limit: 'output',
    message: 'the output is larger than 100 bytes of JSON',
  });
  expect(await output('return "é".repeat(49)', { limits })).toHaveLength(49);
  const { calls, end } = await run(
    'return await ask({ q: "é".repeat(30) }).catch((e) => e.name + ": " + e.message)',
    { limits },
  );
  expect(calls).toEqual([]);
  expect(end).toEqual({
    ok: true,
    json: '"RangeError: ask: the argument is larger than 50 bytes of JSON"',
  });
});

test('the log keeps its tail and counts what fell out', async () => {
  const { log } = await run(
    'for (let i = 0; i < 2000; i++) console.log("line", i, "x".repeat(60)); return 1',
  );
  expect(Buffer.byteLength(log.text)).toBeLessThanOrEqual(65_536);
  expect(log.lines).toBe(2000);
  expect(log.droppedLines).toBe(2000 - log.text.trimEnd().split('\n').length);
  expect(log.text.trimEnd().split('\n').at(-1)).toMatch(/^line 1999 /);
});

test('a sandbox that is disposed of, or has ended, gives no more turns', async () => {
  const engine = compileEngine(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));
  const sandbox = await createSandbox({
    engine,
    now: () => 0,
    seed: '0'.repeat(32),
    scope: {
      tools: ['ask'],
      workflows: [],
      run: { id: 'r', namespace: 'n', labels: {}, startedAt: '' },
    },
  });
  const first = sandbox.start({ code: 'exports.default = async () => { ask({}); return 1 }' });
  expect(first.end).toEqual({ ok: true, json: '1' });
  expect(first.unanswered).toMatchObject([{ kind: 'tool', name: 'ask' }]);
  expect(sandbox.resolve(1, '1')).toEqual({ calls: [] });
  sandbox.dispose();
  sandbox.dispose();
  expect(sandbox.resolve(1, '1')).toEqual({ calls: [] });
});
