import { expect, test } from '@jest/globals';
import type { DriverAnswer, GuestCall } from '../../../sandbox';
import { BODY_LINE, failing, failure, output, run } from './support';

test('calls tell kind, name, argument and place, in the order in which they were made', async () => {
  const { calls } = await run(
    `await Promise.all([crm.find({ n: 1 }), tools['get-weather']({}), sleep('10m')]);\nawait waitForSignal('go', { timeout: '2d' });`,
  );
  expect(calls).toEqual([
    {
      id: 1,
      kind: 'tool',
      name: 'crm.find',
      json: '{"n":1}',
      at: { line: BODY_LINE, column: expect.any(Number) as unknown },
    },
    { id: 2, kind: 'tool', name: 'get-weather', json: '{}', at: expect.anything() as unknown },
    {
      id: 3,
      kind: 'sleep',
      name: '',
      json: '{"duration":"10m"}',
      at: expect.anything() as unknown,
    },
    {
      id: 4,
      kind: 'signal',
      name: '',
      json: '{"name":"go","timeout":"2d"}',
      at: { line: BODY_LINE + 1, column: expect.any(Number) as unknown },
    },
  ]);
});

test('all, race, any, allSettled and nested calls give what JavaScript says, whatever order the answers have', async () => {
  const slow = async (call: GuestCall): Promise<DriverAnswer> => {
    const { n } = JSON.parse(call.json) as { n: number };
    for (let i = 0; i < n; i += 1) await Promise.resolve();
    return n === 13 ? failing() : { ok: true, json: String(n) };
  };
  expect(
    await output(
      `const ask1 = (n) => ask({ n });
       return {
         all: await Promise.all([9, 1, 5].map(ask1)),
         race: await Promise.race([9, 2, 5].map(ask1)),
         any: await Promise.any([ask1(13), ask1(40)]),
         settled: (await Promise.allSettled([ask1(13), ask1(2)])).map((r) => r.status),
         nested: await Promise.all([1, 2].map(async (n) => { const a = await ask1(n); return Promise.all([a, ask1(n + 10)]) })),
       }`,
      { answer: slow },
    ),
  ).toEqual({
    all: [9, 1, 5],
    race: 2,
    any: 40,
    settled: ['rejected', 'fulfilled'],
    nested: [
      [1, 11],
      [2, 12],
    ],
  });
});

test('a failed call is a ToolError with its fields, at the line that made the call', async () => {
  const body = `try {\n  await crm.find({});\n} catch (e) {\n  return [e instanceof ToolError, e instanceof Error, e.name, e.message, e.code, e.data, e.tool, e.seq, e.outcomeUnknown];\n}`;
  expect(await output(body, { answer: () => failing({ code: 'not_found' }) })).toEqual([
    ...[
      true,
      true,
      'ToolError',
      'no customer ada',
      'failed',
      { code: 'not_found' },
      'crm.find',
      1,
      false,
    ],
  ]);
  const error = await failure(
    `await 1;\nconst wrap = async () => {\n  await crm.find({});\n};\ntry { await wrap() } catch (e) { throw e }`,
    {
      answer: () => failing(),
    },
  );
  expect(error).toMatchObject({ name: 'ToolError', tool: { id: 1, code: 'failed' } });
  expect(error.frames[0]?.line).toBe(BODY_LINE + 2);
});

test('a script’s own error tells where it was thrown, also in nested async callbacks', async () => {
  const error = await failure(
    `const work = async (n) => {\n  await ask({});\n  if (n === 2)\n    throw new TypeError('two');\n};\nawait Promise.all([1, 2].map((n) => work(n)));`,
  );
  expect(error).toMatchObject({ name: 'TypeError', message: 'two' });
  expect(error.frames[0]?.line).toBe(BODY_LINE + 3);
});

test('what is no Error can be thrown too', async () => {
  expect(await failure('throw "x"')).toMatchObject({ name: 'Error', message: 'thrown: x' });
  expect(await failure('throw { a: 1 }')).toMatchObject({ message: 'thrown: {a: 1}' });
  expect(await failure('throw undefined')).toMatchObject({ message: 'thrown: undefined' });
  expect(await failure('throw new Proxy({}, { get() { throw 1 } })')).toMatchObject({
    name: 'Error',
  });
});

test('a rejection that nobody handles and a call that nobody waits for are reported', async () => {
  const { turns, end } = await run(`crm.find({});\nawait sleep('1s');\nask({});\nreturn 1`, {
    answer: (call) => (call.name === 'crm.find' ? failing() : { ok: true }),
  });
  expect(end).toEqual({ ok: true, json: '1' });
  expect(turns.flatMap((turn) => turn.unhandled ?? [])).toMatchObject([
    { name: 'ToolError', tool: { id: 1 }, frames: [{ line: BODY_LINE }] },
  ]);
  expect(turns.at(-1)?.unanswered).toMatchObject([{ name: 'ask', at: { line: BODY_LINE + 2 } }]);
});

test('a rejection that is handled later in the same turn is not reported', async () => {
  const { turns } = await run(
    `const p = crm.find({}); await sleep('1s').catch(() => 0); await p.catch(() => 0); return 1`,
    {
      answer: async (call) => {
        if (call.kind === 'tool') await new Promise((resolve) => setImmediate(resolve));
        return call.kind === 'tool' ? failing() : { ok: true };
      },
    },
  );
  expect(turns.flatMap((turn) => turn.unhandled ?? [])).toEqual([]);
});

test('a script that can never go on is told so', async () => {
  expect(await failure('await new Promise(() => {})')).toMatchObject({
    message: 'the script waits for a promise that nothing will settle',
  });
});

test('the arguments of all open calls are bounded; a call over the bound is refused to the script, which goes on', async () => {
  const script = `
    const text = "x".repeat(40);
    const first = ask({ text });
    const refused = await ask({ text }).catch(String);
    await first;
    return [refused, (await ask({ text })).text === text];`;
  expect(await output(script, { limits: { openBytes: 100 } })).toEqual([
    'RangeError: ask: the arguments of all calls in flight are larger than 100 bytes of JSON; await some first',
    true,
  ]);
});
