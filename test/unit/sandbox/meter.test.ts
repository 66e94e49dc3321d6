import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { QuickJS } from 'quickjs-wasi';
import { compileEngine, createSandbox, type Sandbox } from '../../../sandbox';
import { FUEL, meter } from '../../../sandbox/meter';

const bytes = readFileSync(require.resolve('quickjs-wasi/quickjs.wasm'));
const metered = compileEngine(bytes);

/** The fuel that a text takes, and its value. */
async function measure(code: string): Promise<{ fuel: number; value: unknown }> {
  const vm = await QuickJS.create({ wasm: metered.wasm });
  const tank = (vm._getExports() as unknown as Record<string, { value: bigint }>)[FUEL]!;
  tank.value = 10_000_000_000n;
  const value: unknown = vm.dump(vm.evalCode(code));
  const fuel = 10_000_000_000 - Number(tank.value);
  vm.dispose();
  return { fuel, value };
}

function sandbox(fuelPerTurn: number): Promise<Sandbox> {
  return createSandbox({
    engine: metered,
    now: () => 0,
    seed: '0'.repeat(32),
    limits: { fuelPerTurn },
    scope: {
      tools: ['ask'],
      workflows: [],
      run: { id: 'r', namespace: 'n', labels: {}, startedAt: '' },
    },
  });
}

/** A module of one function without parameters. */
function moduleOf(body: number[]): Uint8Array {
  const section = (id: number, content: number[]) => [id, content.length, ...content];
  const types = [2, 0x60, 0, 0, 0x60, 3, 0x7f, 0x7f, 0x7f, 0];
  const code = [1, body.length + 2, 0, ...body, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(6, [1, 0x7f, 0, 0x41, 0, 0x0b]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, code),
  ]);
}

describe('the metered engine', () => {
  test('computes what the engine computes', async () => {
    const code = `JSON.stringify([
      [3, 1, 2].sort(), "abc".repeat(3).split("b"), /(a+)b/.exec("xaab"), 0.1 + 0.2, [1, [2, [3]]].flat(9),
      new Uint8Array([1, 2, 3, 4]).copyWithin(1, 0), new Float64Array(3).fill(1.5), new Date(0), [..."ü€😀"],
    ])`;
    const plain = await QuickJS.create({ wasm: new WebAssembly.Module(bytes) });
    expect((await measure(code)).value).toBe(plain.dump(plain.evalCode(code)));
    plain.dispose();
  });

  test('counts the same for the same work, and in proportion to more of it', async () => {
    for (const work of [
      (n: number) => `for (let i = 0; i < ${n * 10_000}; i++);`,
      (n: number) => `"a".repeat(${n * 100_000}).indexOf("b")`,
      (n: number) => `Array.from({ length: ${n * 1000} }, (_, i) => i).fill(1).join("")`,
      (n: number) => `new Uint8Array(${n * 1_000_000}).copyWithin(0, 1)`,
      (n: number) =>
        `/^(?:x+x+)+y/.test("x".repeat(12)); for (let i = 0; i < ${n}; i++) JSON.parse("[" + "1,".repeat(10000) + "1]");`,
    ]) {
      const [one, again, ten] = [
        await measure(work(1)),
        await measure(work(1)),
        await measure(work(10)),
      ];
      expect(again.fuel).toBe(one.fuel);
      expect(ten.fuel).toBeGreaterThan(5 * one.fuel);
      expect(ten.fuel).toBeLessThan(20 * one.fuel);
    }
  });

  test('charges moves of memory by their length', async () => {
    const { fuel } = await measure('new Uint8Array(20000000).fill(1)');
    expect(fuel).toBeGreaterThan(5_000_000);
  });

  test('traps when the fuel is used up, and from then on', () => {
    const loop = [0x03, 0x40, 0x0c, 0x00, 0x0b];
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(meter(moduleOf(loop))));
    const { f, [FUEL]: tank } = exports as { f: () => void; fuel: { value: bigint } };
    tank.value = 1_000_000n;
    expect(f).toThrow('unreachable');
    expect(f).toThrow('unreachable');
    expect(Number(tank.value)).toBeLessThan(0);
  });

  test('an instruction that is not known is refused, since it could go unmetered', () => {
    expect(() => meter(moduleOf([0xfd, 0x0c]))).toThrow('0xfd is not known');
    expect(() => meter(moduleOf([0xfc, 0x08]))).toThrow('0xfc 8 is not known');
    expect(() => meter(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))).toThrow('has no code');
  });

  test('a sandbox takes no engine that is not metered', async () => {
    const wasm = new WebAssembly.Module(bytes);
    const scope = {
      tools: [],
      workflows: [],
      run: { id: 'r', namespace: 'n', labels: {}, startedAt: '' },
    };
    const engine = { ...metered, wasm };
    await expect(createSandbox({ engine, scope, now: () => 0, seed: '0' })).rejects.toThrow(
      'not metered',
    );
  });
});

test('FC-29: where one guest is trapped inside a built-in the others of its engine go on', async () => {
  const [other, trapped] = [await sandbox(100_000_000), await sandbox(100_000_000)];
  const waiting = other.start({
    code: 'exports.default = async () => (await ask({})) + (await ask({}))',
  });
  expect(waiting.calls).toHaveLength(1);
  const { end, calls } = trapped.start({
    code: 'exports.default = async () => { ask({}); return "a".repeat(3e6).indexOf("a".repeat(1e6) + "b"); }',
  });
  expect(calls).toHaveLength(1);
  expect(end).toMatchObject({ ok: false, error: { name: 'LimitError', limit: 'cpu' } });
  // The trapped one is never entered again.
  expect(trapped.resolve(1, '1')).toEqual({ calls: [] });
  expect(trapped.log).toEqual({ text: '', lines: 0, droppedLines: 0 });
  trapped.dispose();
  expect(other.resolve(1, '1').calls).toHaveLength(1);
  expect(other.resolve(2, '2').end).toEqual({ ok: true, json: '3' });
  other.dispose();
});
