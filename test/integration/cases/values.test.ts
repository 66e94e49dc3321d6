import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HostToolError, type HostToolWorker, type Runs } from '@rewind.codes/sdk';
import { startRewind, type TestRewind } from '../../support/rewind';

// FC-07: values that JSON cannot hold, on every way out.
const cycle = (): object => {
  const value: Record<string, unknown> = { list: [1] };
  value['back'] = { again: value };
  return value;
};
const values: Record<string, () => unknown> = {
  undefined: () => undefined,
  bigint: () => ({ n: 10n }),
  cycle,
  map: () => [new Map([[1, 2]])],
  date: () => ({ at: new Date(0) }),
  nan: () => [0, NaN],
  function: () => ({ run: () => 1 }),
  getter: () => ({
    get broken() {
      throw new Error('no such field');
    },
  }),
  data: () => {
    throw new HostToolError('with data', { data: cycle() });
  },
  fine: () => 'fine',
};

let rewind: TestRewind;
let toolset: string;
let runs: Runs;
let worker: HostToolWorker;
const reported: string[] = [];
beforeAll(async () => {
  rewind = await startRewind();
  const tools = Object.fromEntries(
    Object.keys(values).map((name) => [
      `give.${name}`,
      { description: '', input: { type: 'object' } },
    ]),
  );
  toolset = (await rewind.client().toolsets.create({ tools })).id;
  runs = rewind.client().namespace('ada').runs;
  worker = rewind.client().worker({
    tools: Object.fromEntries(Object.entries(values).map(([name, give]) => [`give.${name}`, give])),
    concurrency: 1,
    pollWait: '5s',
    onError: (error, { tool }) => reported.push(`${tool}: ${(error as Error).message}`),
  });
}, 120_000);
afterAll(async () => {
  await worker.stop();
  await rewind.stop();
}, 60_000);

const run = async (script: string) => runs.wait((await runs.create({ script, toolset })).id);
/** Milliseconds from first call to end. */
const took = ({ createdAt, endedAt = '' }: { createdAt: string; endedAt?: string }) =>
  Date.parse(endedAt) - Date.parse(createdAt);

describe('FC-07: what a handler gives', () => {
  test('nothing becomes null, a date becomes text', async () => {
    const ended = await run('return [await give.undefined(), await give.date()];');
    expect(ended.output).toEqual([null, { at: '1970-01-01T00:00:00.000Z' }]);
  });

  test.each([
    ['bigint', 'result.n'],
    ['cycle', 'result.back.again'],
    ['map', 'result[0]'],
    ['nan', 'result[1]'],
    ['function', 'result.run'],
    ['getter', 'result.broken'],
  ])('%s fails the call at once, says where, and the worker goes on', async (name, path) => {
    const before = reported.length;
    const ended = await run(`
      const error = await give.${name}().catch((problem) => problem);
      return { tool: error instanceof ToolError, message: error.message, next: await give.fine() };`);
    expect(ended.output).toMatchObject({ tool: true, next: 'fine' });
    expect((ended.output as { message: string }).message).toContain(path);
    expect(took(ended)).toBeLessThan(5000);
    expect(reported.slice(before)).toEqual([expect.stringContaining(`give.${name}: `)]);
  });
});

test('FC-07: data that JSON cannot hold is left out and reported, the failure stands', async () => {
  const before = reported.length;
  const ended = await run(
    'return await give.data().catch((e) => [e.message, e.data ?? null, e.code]);',
  );
  expect(ended.output).toEqual(['with data', null, 'failed']);
  expect(reported.slice(before)).toEqual([expect.stringContaining('data.back.again')]);
});

describe('FC-07: what a script makes', () => {
  const cases: [string, string, string][] = [
    ['a cycle', 'const value: any = { a: 1 }; value.self = [value];', '.self[0]'],
    ['a Map', 'const value = { m: new Map() };', '.m'],
    ['NaN', 'const value = { n: [NaN] };', '.n[0]'],
    ['a function', 'const value = { f() {} };', '.f'],
    ['a throwing getter', 'const value = { get g() { throw new Error("mine"); } };', 'mine'],
    ['a Symbol', 'const value = { s: Symbol("x") };', '.s'],
  ];

  test.each(cases)('%s as output fails the run and says where', async (_, make, where) => {
    const ended = await run(`${make}\nreturn value;`);
    expect(ended.state).toBe('failed');
    expect(ended.error?.message).toContain(where);
    expect(took(ended)).toBeLessThan(5000);
  });

  test.each(cases)('%s as an argument is refused before the call', async (_, make, where) => {
    const ended = await run(`${make}\nreturn await give.fine(value).catch((e) => e.message);`);
    expect(ended.output).toContain(where);
    expect(ended.calls).toBe(0);
  });

  test.each(cases)('%s in the log is shown in some way', async (_, make) => {
    const ended = await run(`${make}\nconsole.log("seen", value); return "on";`);
    expect(ended).toMatchObject({ state: 'completed', output: 'on' });
    expect((await runs.log(ended.id)).text).toMatch(/^seen \{/);
  });
});
