import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ScriptRefusedError } from '@rewind.codes/sdk';
import { startStage, type Stage } from './stage';

// The language of scripts, end to end.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const refused = async (script: string) => {
  const error: unknown = await stage.create(script).catch((problem: unknown) => problem);
  if (!ScriptRefusedError.isInstance(error)) throw new Error(`not refused: ${String(error)}`);
  return error.diagnostics;
};

describe('the output', () => {
  test.each([
    ['what it returns', 'return 1 + 1;', 2],
    ['null where it returns nothing', 'await sleep("1ms");', null],
    ['null where it returns undefined', 'return undefined;', null],
    ['its default export', 'export default { a: [1] };', { a: [1] }],
    ['what its exported function gives for the input', 'export default (n) => n.x * 2;', 8],
    [
      'what its exported asynchronous function gives',
      'export default async function main({ x }: { x: number }) { return (await echo({ value: x })) + 1; }',
      5,
    ],
    ['what a promise in it gives', 'return echo({ value: "later" });', 'later'],
    [
      'dates as texts, undefined left out',
      'return { at: new Date(0), no: undefined };',
      { at: '1970-01-01T00:00:00.000Z' },
    ],
  ])('of a script is %s', async (_, script, output) => {
    expect(await stage.run(script, { input: { x: 4 } })).toMatchObject({
      state: 'completed',
      output,
    });
  });

  test('by return and by export at once is refused', async () => {
    const [problem] = await refused('if (input) return 1;\nexport default 2;');
    expect(problem).toMatchObject({ code: 'RW1001' });
  });

  test.each([
    ['a Map', 'return { a: [new Map()] };', 'output.a[0] is a Map'],
    ['a cycle', 'const a: any = {}; a.b = { a }; return a;', 'output.b.a is a cycle'],
    ['NaN', 'return [1, NaN];', 'output[1] is NaN'],
    ['a function', 'return { f: () => 1 };', 'output.f is a function'],
  ])('that holds %s fails the run and names the place', async (_, script, message) => {
    const run = await stage.run(script);
    expect(run).toMatchObject({ state: 'failed', error: { name: 'TypeError' } });
    expect(run.error?.message).toContain(message);
  });
});

test('the module "rewind" gives what is in scope', async () => {
  const script = `
    import { ToolError, input as given, run as me, sleep as rest, tools as all, console as out } from "rewind";
    import * as rewind from "rewind";
    await rest("1ms");
    out.log("hi");
    const error = await all["work.fail"]({ message: "no" }).catch((problem) => problem);
    return [given, me.id === run.id, error instanceof ToolError, error instanceof Error,
      rewind.ToolError === ToolError, rewind.tools.echo === echo, await rewind.tools.echo({ value: 1 })];`;
  const { output } = await stage.run(script, { input: 7 });
  expect(output).toEqual([7, true, true, true, true, true, 1]);
});

test('TypeScript is TypeScript: enums, generics, interfaces, classes, satisfies, decorators of types', async () => {
  const script = `
    enum Color { Red, Green = "green" }
    const enum Size { Small = 3 }
    interface Box<T> { readonly value: T; tag?: string }
    type Boxed<T extends readonly unknown[]> = { [K in keyof T]: Box<T[K]> };
    abstract class Shape { constructor(protected readonly sides: number) {} abstract name(): string; }
    class Square extends Shape {
      static count = 0;
      constructor() { super(4); Square.count++; }
      override name(): string { return \`square of \${this.sides}\`; }
    }
    const box = <T,>(value: T): Box<T> => ({ value });
    const boxes: Boxed<[number, string]> = [box(1), box("a")];
    const options = { retries: 2 } satisfies Record<string, number>;
    function* count(to: number): Generator<number> { for (let n = 0; n < to; n++) yield n; }
    const late = async function* () { for (const n of count(2)) { await sleep("1ms"); yield n; } };
    const seen: number[] = [];
    for await (const n of late()) seen.push(n);
    label: for (;;) { for (;;) break label; }
    return { color: [Color.Red, Color[0], Color.Green], size: Size.Small, boxes, name: new Square().name(),
      count: Square.count, retries: options?.retries ?? 0, seen, last: seen.at(-1)!, as: (seen as unknown[]).length };`;
  expect((await stage.run(script)).output).toEqual({
    color: [0, 'Red', 'green'],
    size: 3,
    boxes: [{ value: 1 }, { value: 'a' }],
    name: 'square of 4',
    count: 1,
    retries: 2,
    seen: [0, 1],
    last: 1,
    as: 2,
  });
});

test('what a model often writes without types is no reason to refuse', async () => {
  const script = `
    const results = [];
    let last;
    const twice = (x) => x * 2;
    function unused(a, b) {}
    for (const n of input.numbers) { last = await echo({ value: twice(n) }); results.push(last); }
    await Promise.all(results.map(async (n) => { last = n; }));
    return { results, last: last, first: results[0].toFixed(1) };`;
  const { output } = await stage.run(script, { input: { numbers: [1, 2] } });
  expect(output).toEqual({ results: [2, 4], last: 4, first: '2.0' });
});

test.each([
  ['fetch("https://example.com")', 'fetch', 'Call a tool'],
  ['setTimeout(() => {}, 1)', 'setTimeout', 'sleep'],
  ['require("fs")', 'require', 'in scope'],
  ['process.env', 'process', 'input'],
  ['BigInt(1)', 'BigInt', 'numbers or strings'],
  ['10n', 'BigInt', 'numbers or strings'],
  ['import("fs")', 'modules', 'without an import'],
])('%s is refused with what to do instead', async (code, name, hint) => {
  const [problem] = await refused(`const a = 1;\nreturn await ${code};`);
  expect(problem).toMatchObject({ line: 2, column: 14 });
  expect(problem?.message).toContain(name);
  expect(problem?.hint).toContain(hint);
});

describe('calls side by side', () => {
  test('all, allSettled, race and any, nested, give what they should', async () => {
    const script = `
      const say = (value) => echo({ value });
      const all = await Promise.all([say(1), Promise.all([say(2), say(3)]), 4, sleep("10ms")]);
      const settled = await Promise.allSettled([say(1), work.fail({ message: "no" }), Promise.race([say(5)])]);
      const any = await Promise.any([work.fail({ message: "a" }), Promise.all([say(6), say(7)])]);
      const none = await Promise.any([work.fail({ message: "a" }), work.fail({ message: "b" })])
        .catch((error) => [error.constructor.name, error.errors.map((e) => e.message)]);
      const race = await Promise.race([say("fast"), sleep("20s").then(() => "slow")]);
      const lost = await Promise.race([waitForSignal("never"), sleep("50ms").then(() => "time")]);
      return { all, settled: settled.map((s) => s.status === "fulfilled" ? s.value : s.reason.message), any, none, race, lost };`;
    expect((await stage.run(script)).output).toEqual({
      all: [1, [2, 3], 4, null],
      settled: [1, 'no', 5],
      any: [6, 7],
      none: ['AggregateError', ['a', 'b']],
      race: 'fast',
      lost: 'time',
    });
  });

  test('a hundred at once settle once each, with the results in their places', async () => {
    const script = `
      const order = [];
      const all = await Promise.all(Array.from({ length: 100 }, (_, n) =>
        echo({ value: n }).then((value) => { order.push(n); return value; })));
      return { all, settled: [...order].sort((a, b) => a - b) };`;
    const { output, calls } = await stage.run(script);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    expect(output).toEqual({ all: numbers, settled: numbers });
    expect(calls).toBe(100);
  });

  test('a script that ends does not wait for what it left open, and the log names it', async () => {
    const script = `echo({ value: "a" });
const left = nobody.home();
return "done";`;
    const run = await stage.run(script);
    expect(run).toMatchObject({ state: 'completed', output: 'done' });
    expect((await stage.runs().log(run.id)).text).toBe(
      [
        'Warning: the script ended before the answer to call #1 echo (line 1)',
        'Warning: the script ended before the answer to call #2 nobody.home (line 2)',
        '',
      ].join('\n'),
    );
    const trace = await stage.runs().trace(run.id);
    expect(trace.data.map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  test('a failure that nobody handles is in the log, by the name of its call', async () => {
    const script = `work.fail({ message: "nobody listens" });
const later = async () => { await sleep("1ms"); throw new RangeError("mine"); };
later();
await sleep("300ms");
return "done";`;
    const run = await stage.run(script);
    expect(run).toMatchObject({ state: 'completed', output: 'done' });
    const lines = (await stage.runs().log(run.id)).text.trimEnd().split('\n').sort();
    expect(lines).toEqual([
      'Warning: nobody handled the rejection (line 2): RangeError: mine',
      'Warning: nobody handled the rejection of call #1 work.fail (line 1): ToolError: nobody listens',
    ]);
  });

  test('a script that waits for what nothing settles fails and says so', async () => {
    const run = await stage.run('await new Promise(() => {});');
    expect(run).toMatchObject({ state: 'failed' });
    expect(run.error?.message).toContain('nothing will settle');
  });
});

describe('validation at run time', () => {
  test('arguments that only `any` let through never reach a worker', async () => {
    const script = `
      const codes = [];
      for (const value of input) {
        try { await math.add(value); } catch (error: any) {
          codes.push([error instanceof ToolError, error.code, error.tool, error.outcomeUnknown, error.message]);
        }
      }
      return codes;`;
    const values = [{ a: 1 }, { a: 1, b: '2' }, { a: 1, b: 2, c: 3 }, 'text', null, [1]];
    const { output, calls } = await stage.run(script, { input: values });
    expect(output).toEqual(
      values.map(() => [
        true,
        'invalid_arguments',
        'math.add',
        false,
        expect.stringMatching(/^math\.add: /),
      ]),
    );
    expect(calls).toBe(values.length);
  });

  test('an uncaught one fails the run with its place', async () => {
    const run = await stage.run('const bad: any = { a: 1, b: [] };\nawait math.add(bad);');
    expect(run).toMatchObject({
      state: 'failed',
      error: { name: 'ToolError', code: 'invalid_arguments', seq: 1, line: 2, column: 7 },
    });
    expect(run.error?.message).toContain('b: ');
  });

  test('a result that does not fit is not given to the script', async () => {
    const script =
      'return await math.add({ a: 99, b: 1 }).catch((e) => [e.code, e.message, e.data ?? null]);';
    expect((await stage.run(script)).output).toEqual([
      'invalid_result',
      expect.stringMatching(/^the result of math\.add does not fit its schema: sum: /),
      null,
    ]);
  });
});
