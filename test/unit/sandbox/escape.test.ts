import { expect, test } from '@jest/globals';
import { failing, output, run } from './support';

const code = `'return typeof process + typeof require + typeof fetch + typeof WebAssembly + typeof globalThis.global'`;

test('FC-32: no way leads out of the sandbox, and nothing of the host is seen in it', async () => {
  const result = await run(
    `const look = async (f) => { try { return String(await f()); } catch (e) { return 'threw ' + e.message; } };
     const code = ${code};
     const caught = await crm.find({ email: 'nobody' }).catch((e) => e);
     return {
       fn: await look(() => crm.find.constructor(code)()),
       asyncFn: await look(() => (async () => 0).constructor(code)()),
       generator: await look(() => (function* () {}).constructor(code)()),
       asyncGenerator: await look(() => (async function* () {}).constructor(code)()),
       reflect: await look(() => Reflect.construct(Function, [code])()),
       err: await look(() => caught.constructor.constructor(code)()),
       stack: String(caught.stack),
       cause: await look(() => caught.cause),
       promise: await look(() => crm.find({ email: 'a' }).constructor.constructor(code)()),
       log: await look(() => console.log({ toJSON() { throw new Proxy({}, { get() { throw 1; } }); } })),
       inspect: await look(() => console.log({ [Symbol.for('nodejs.util.inspect.custom')]: (_d, o) => o.constructor.constructor(code)() })),
       proxy: await look(() => console.log(new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } }))),
       dyn: await look(() => import('node:fs')),
     };`,
    {
      answer: (call) =>
        call.json.includes('nobody') ? failing({ code: 'not_found' }) : { ok: true, json: '1' },
    },
  );
  if (!result.end.ok) throw new Error(result.end.error.message);
  const seen = JSON.parse(result.end.json) as Record<string, string>;
  for (const [probe, told] of Object.entries(seen)) {
    if (probe === 'stack') continue;
    expect([probe, told]).toEqual([probe, expect.stringMatching(/^(undefined|threw )/)]);
  }
  const everything = result.end.json + result.log.text;
  expect(everything).not.toMatch(
    /node_modules|file:|\/sandbox\/|\.ts\b|node:internal|at Object\.|wasm/,
  );
  expect(seen['stack']).toMatch(/^ToolError: no customer ada\n/);
});

test('returned and logged objects run no code in the host, whatever they are made of', async () => {
  const calls = await output(
    `let ran = 0;
     const tricky = { get a() { ran++; return 1 }, toJSON() { ran++; return { b: 2 } }, [Symbol.toPrimitive]() { ran++; return 'x' } };
     console.log(tricky, [tricky], new Map([[tricky, 1]]));
     return { tricky, ran: ran > 0 };`,
  );
  expect(calls).toEqual({ tricky: { b: 2 }, ran: true });
});

test('a script that changes every prototype breaks only itself', async () => {
  expect(
    await output(
      `const bad = () => { throw new Error('broken') };
       const define = Object.defineProperty, keysOf = Reflect.ownKeys;
       const protos = [Map.prototype, WeakMap.prototype, String.prototype, Promise.prototype, RegExp.prototype, Array.prototype, Object.prototype];
       for (let i = 0; i < protos.length; i++) {
         const keys = keysOf(protos[i]);
         for (let k = 0; k < keys.length; k++) {
           if (keys[k] === 'constructor' || keys[k] === '__proto__') continue;
           try { define(protos[i], keys[k], { value: bad, writable: true, configurable: true }) } catch {}
         }
       }
       JSON.stringify = JSON.parse = Reflect.apply = Object.keys = bad;
       const answer = await crm.find({ a: [1, { b: 2 }] });
       return answer;`,
    ),
  ).toEqual({ a: [1, { b: 2 }] });
});

test('a script that breaks the engine’s own built-ins fails, and says so', async () => {
  const { end } = await run(
    `Object.defineProperty(Array.prototype, '0', { set() { throw new Error('setter') } }); return [1]`,
  );
  expect(end).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('built-ins') as unknown },
  });
});
