import { expect, test } from '@jest/globals';
import { diagnostics, run } from './support';

test('the output is what the script returns, or its default export', async () => {
  expect((await run('return { a: 1 };')).output).toEqual({ a: 1 });
  expect((await run('export default [1, 2]')).output).toEqual([1, 2]);
  expect((await run('const x = 5;\nexport default x * 2;')).output).toBe(10);
  expect((await run('1 + 1')).output).toBe(null);
});

test('a default export that is a function is called with the input', async () => {
  const input = { n: 4 };
  for (const script of [
    'export default async (given: { n: number }) => given.n * 2',
    'export default function (given: { n: number }) { return given.n * 2 }',
    'const twice = (n: number) => n * 2;\nexport default async function main({ n }: { n: number }) {\n  return twice(n);\n}\n',
    'export default main;\nfunction main(given: any) { return helper(given.n); }\nfunction helper(n: number) { return n * 2; }',
  ]) {
    expect((await run(script, { input })).output).toBe(8);
  }
});

test('return and export default together are refused', () => {
  expect(diagnostics('export default 1;\nreturn 2;')).toMatchObject([{ code: 'RW1001', line: 1 }]);
  expect(diagnostics('export default () => { return 1 }')).toEqual([]);
});

test('HT-46: import { … } from "rewind" gives the same things as the scope', async () => {
  const script = `import { ToolError as Failed, sleep as nap, tools, input as given, type Duration } from "rewind";
import * as rewind from 'rewind';
const pause: Duration = '1s';
await nap(pause);
try { await rewind.tools['ask_user']({ question: 'q' }); } catch (e) {
  return [e instanceof Failed, Failed === ToolError, rewind.run.id === run.id, tools === rewind.tools, given.x];
}`;
  const failure = { message: 'no', code: 'failed', outcomeUnknown: false, seq: 1 };
  const { output } = await run(script, {
    input: { x: 9 },
    answer: (call) => (call.kind === 'tool' ? { ok: false, failure } : { ok: true }),
  });
  expect(output).toEqual([true, true, true, true, 9]);
});

test('other modules are refused, however they are asked for', () => {
  for (const script of [
    'import fs from "node:fs"; return fs',
    'import { z } from "zod"',
    'return await import("node:fs" as string)',
    'import x = require("x")',
    'return import.meta.url',
  ]) {
    expect(diagnostics(script)[0]).toMatchObject({ code: 'RW1003', line: 1 });
  }
  expect(diagnostics('export { x } from "y"')[0]?.code).toBe('RW1005');
});

test('types, enums, generics, classes and async iteration work; other exports are ignored', async () => {
  const script = `export interface Row<T> { id: number; value: T }
enum Colour { Red = 'r', Green = 'g' }
export const rows: Row<Colour>[] = [{ id: 1, value: Colour.Red }, { id: 2, value: Colour.Green }];
export type Key = keyof Row<string>;
class Box<T> { #inner: T; constructor(inner: T) { this.#inner = inner } get value() { return this.#inner } static of<U>(u: U) { return new Box(u) } }
async function* walk() { for (const row of rows) yield row }
const seen: unknown[] = [];
for await (const row of walk()) seen.push(Box.of(row).value satisfies Row<Colour>);
return seen.map((row) => (row as Row<Colour>).value) as const;`;
  // A const assertion needs a literal; the rest must be fine.
  expect(diagnostics(script).map(({ code }) => code)).toEqual(['TS1355']);
  expect((await run(script.replace(' as const;', ';'))).output).toEqual(['r', 'g']);
});

test('a script is refused for what would go wrong, never for style', () => {
  for (const script of [
    'const unused = 1; function f(a, b) { return a }',
    'let x; x = 1; return x; console.log("never")',
    'var name = "a"; const process = 1; function find() {} return [name, process, find.name]',
    'const list = []; list.push(1); return list',
    'for (const key in { a: 1 }) console.log(key)',
    'await 1; await Promise.all([]);',
  ]) {
    expect(diagnostics(script)).toEqual([]);
  }
});

test('HT-47: the document’s script type-checks, and error.data needs a narrowing', () => {
  const script = `import { ToolError } from "rewind";
const email = input.email;
try {
  const customer = await crm.find_customer({ email });
} catch (error) {
  if (error instanceof ToolError && (error.data as { code?: string })?.code === "not_found") {
    // create it instead
  } else throw error;
}`;
  expect(diagnostics(script)).toEqual([]);
  expect(
    diagnostics(script.replace('(error.data as { code?: string })', 'error.data')),
  ).toMatchObject([{ line: 6, code: 'TS2339' }]);
});

test('HT-02: a tool that the toolset does not declare cannot be called', () => {
  expect(diagnostics('await crm.delete_everything({})')[0]).toMatchObject({
    line: 1,
    code: 'TS2339',
  });
  expect(diagnostics('await billing.pay({})')[0]).toMatchObject({ code: 'TS2304' });
});

test('arguments and results have the types of the schemas', () => {
  expect(diagnostics('return (await crm.find_customer({ email: 1 })).name')[0]?.code).toBe(
    'TS2322',
  );
  expect(diagnostics('return (await crm.find_customer({})).name')[0]?.code).toBe('TS2345');
  expect(diagnostics('return (await crm.find_customer({ email: "a" })).nam')[0]?.code).toBe(
    'TS2551',
  );
  expect(diagnostics('return crm.find_customer({ email: "a" }).name')[0]?.code).toBe('TS2339');
  expect(
    diagnostics('const any = await ask_user({ question: "q" }); return any.yes.or.no'),
  ).toEqual([]);
  expect(
    diagnostics('await tools["get-weather"](); await tools["get-weather"]({ city: "x" })'),
  ).toEqual([]);
});

test('durations are texts with a unit', () => {
  expect(
    diagnostics('await sleep("1.5h"); await waitForSignal("go", { timeout: "250ms" })'),
  ).toEqual([]);
  for (const bad of ['3000', '"3 days"', '"soon"'])
    expect(diagnostics(`await sleep(${bad})`)).toHaveLength(1);
});

test('names with a reserved word behind the dot are reached as they are, a reserved word alone is not', () => {
  const spec = { description: '', input: { type: 'object' } };
  const reserved = {
    id: 'ts_reserved',
    tools: { 'mail.delete': spec, delete: spec },
    workflows: [],
  };
  expect(diagnostics('await mail.delete({}); await tools["delete"]({})', reserved)).toEqual([]);
  expect(diagnostics('await delete({})', reserved)).not.toEqual([]);
});
