import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HostToolError, type HostToolWorker, type Runs } from '@rewind.codes/sdk';
import { startRewind, type TestRewind } from '../../support/rewind';

// FC-32: nothing of the host can be reached from a script, and nothing of it is told to one.
let rewind: TestRewind;
let runs: Runs;
let toolset: string;
let worker: HostToolWorker;
beforeAll(async () => {
  rewind = await startRewind();
  const input = {
    type: 'object',
    properties: { email: { type: 'string' } },
    required: ['email'],
    additionalProperties: false,
  };
  const tools = { 'crm.find_customer': { description: 'Find.', input } };
  toolset = (await rewind.client().toolsets.create({ tools })).id;
  runs = rewind.client().namespace('ada').runs;
  worker = rewind.client().worker({
    pollWait: '5s',
    tools: {
      'crm.find_customer': ({ email }: { email: string }) => {
        if (email === 'nobody')
          throw new HostToolError('no customer', { data: { code: 'not_found' } });
        return { email };
      },
    },
  });
}, 120_000);
afterAll(async () => {
  await worker.stop();
  await rewind.stop();
}, 60_000);

const probe = `
const look = async (f: () => unknown) => { try { return String(await f()); } catch (e) { return "threw " + (e as Error).message; } };
const caught = await crm.find_customer({ email: "nobody" } as never).catch((e: unknown) => e as any);
const code = "return typeof process + typeof require + typeof fetch + typeof WebAssembly + typeof globalThis.global";
return {
  fn: await look(() => (crm.find_customer as any).constructor(code)()),
  asyncFn: await look(() => (async () => 0).constructor(code)()),
  err: await look(() => caught.constructor.constructor(code)()),
  stack: String(caught.stack),
  cause: await look(() => caught.cause),
  promise: await look(() => (crm.find_customer({ email: "a" } as never) as any).constructor.constructor(code)()),
  log: await look(() => console.log({ toJSON() { throw new Proxy({}, { get() { throw 1; } }); } })),
  inspect: await look(() => console.log({ [Symbol.for("nodejs.util.inspect.custom")]: (_d: any, o: any) => o.constructor.constructor(code)() })),
  keys: Reflect.ownKeys(globalThis).map(String).sort().join(","),
};`;

/** What no text may hold: paths, places and names of the host. The guest has two files of its own. */
const leaks =
  /\/work|\/home|\/root|\/tmp|node_modules|node:|file:|(?<!prelude|script)\.(?:ts|js|cjs|mjs):\d|workflow|temporal|quickjs/i;

test('FC-32: every way out says undefined or throws, and no text tells of the host', async () => {
  const { id } = await runs.create({ script: probe, toolset });
  const run = await runs.wait(id);
  expect(run.state).toBe('completed');
  const output = run.output as Record<string, string>;
  for (const way of ['fn', 'asyncFn', 'err', 'promise']) {
    expect(output[way]).toBe('threw code from text is not available in scripts');
  }
  expect(output).toMatchObject({ cause: 'undefined', log: 'undefined', inspect: 'undefined' });
  const names = output['keys']!.split(',');
  for (const name of [
    'process',
    'require',
    'global',
    'fetch',
    'WebAssembly',
    'eval',
    'setTimeout',
  ]) {
    expect(names).not.toContain(name);
  }
  expect(names).toEqual(expect.arrayContaining(['crm', 'tools', 'sleep', 'console', 'Promise']));
  const { text } = await runs.log(id);
  const { data } = await runs.trace(id);
  const told = JSON.stringify({ ...output, keys: '', text, error: data.map(({ error }) => error) });
  expect(told).not.toMatch(leaks);
  for (const value of Object.values(process.env)) {
    if (value !== undefined && value.length > 8) expect(told).not.toContain(value);
  }
});

test('FC-32: modules cannot be loaded, by whatever name', async () => {
  for (const code of ['import("node:fs" as string)', 'import("fs")']) {
    const created = runs.create({ script: `return await ${code};`, toolset });
    await expect(created).rejects.toMatchObject({ code: 'script_refused' });
  }
});

test.each([
  ['a Proxy', 'new Proxy({}, { get(_t, k) { return String(k); }, ownKeys() { return ["a"]; } })'],
  [
    'a Proxy whose traps throw',
    'new Proxy({}, { ownKeys() { throw 1; }, getPrototypeOf() { throw 2; } })',
  ],
  ['a getter on the prototype', 'Object.create({ get a() { return 1; } })'],
  ['toJSON', '({ toJSON() { return { deep: 1 }; } })'],
  [
    'an error with a throwing message',
    'Object.defineProperty(new Error(), "message", { get() { throw 1; } })',
  ],
])('FC-32: %s, thrown, logged, passed and returned, runs nothing in the host', async (_, value) => {
  const scripts = [
    `const value: any = ${value}; console.log(value); throw value;`,
    `const value: any = ${value}; return value;`,
    `const value: any = ${value}; return await crm.find_customer(value).catch((e) => String(e));`,
  ];
  for (const script of scripts) {
    const { id } = await runs.create({ script, toolset });
    const run = await runs.wait(id);
    expect(JSON.stringify([run.error, run.output, (await runs.log(id)).text])).not.toMatch(leaks);
    // A script's own code can fail its run, never anything of ours.
    expect(run.error?.message ?? '').not.toContain('inside Rewind');
  }
});

test('FC-32: prototypes that a script spoils spoil nothing of ours', async () => {
  const script = `
    for (const proto of [Object.prototype, Array.prototype, Promise.prototype, String.prototype] as any[]) {
      for (const name of ["then", "toJSON", "push", "join", "resolve", "map", "slice"]) {
        if (name === "then" && proto === Promise.prototype) continue;
        Object.defineProperty(proto, name, { get() { throw new Error("spoiled " + name); }, configurable: true });
      }
    }
    JSON.stringify = (() => { throw new Error("spoiled stringify"); }) as never;
    (globalThis as any).Promise = null;
    console.log("still logs", { a: [1] });
    const found = await crm.find_customer({ email: "ada" });
    return found.email;`;
  const { id } = await runs.create({ script, toolset });
  const spoiled = await runs.wait(id);
  expect(JSON.stringify(spoiled)).not.toMatch(leaks);
  const next = await runs.create({
    script: 'return [(await crm.find_customer({ email: "x" })).email, [1].map(String)];',
    toolset,
  });
  expect((await runs.wait(next.id)).output).toEqual(['x', ['1']]);
});
