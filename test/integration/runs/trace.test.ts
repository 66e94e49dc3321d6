import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BadRequestError, type TraceEntry } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const traceOf = async (id: string): Promise<TraceEntry[]> => (await stage.runs().trace(id)).data;

test('the calls stand in the order in which the script made them, with lines, times and results', async () => {
  const script = `const sum = await math.add({ a: 1, b: 2 });
const both = await Promise.all([
  echo({ value: sum }),
  tools["echo"]({ value: "é" }),
]);
return both;`;
  const { id, calls } = await stage.run(script);
  expect(calls).toBe(3);
  const trace = await traceOf(id);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const common = {
    state: 'completed',
    attempt: 1,
    fromRecord: false,
    startedAt: time,
    endedAt: time,
  };
  expect(trace).toEqual([
    { ...common, seq: 1, tool: 'math.add', input: { a: 1, b: 2 }, line: 1, result: { sum: 3 } },
    { ...common, seq: 2, tool: 'echo', input: { value: { sum: 3 } }, line: 3, result: { sum: 3 } },
    { ...common, seq: 3, tool: 'echo', input: { value: 'é' }, line: 4, result: 'é' },
  ]);
});

test('a failed call shows its error, a repeated one its attempts', async () => {
  const script = `await work.flaky({ failures: 2 });
await work.fail({ message: "no customer", data: { code: "not_found" } });`;
  const { id } = await stage.run(script);
  expect(await traceOf(id)).toEqual([
    expect.objectContaining({ seq: 1, state: 'completed', attempt: 3, result: 3 }),
    expect.objectContaining({
      seq: 2,
      state: 'failed',
      attempt: 1,
      error: {
        name: 'ToolError',
        message: 'no customer',
        code: 'failed',
        data: { code: 'not_found' },
        seq: 2,
      },
    }),
  ]);
  const keys = stage.entered.filter((line) => line.includes(id));
  expect(keys).toEqual([1, 2, 3].map((attempt) => `work.flaky ${id}/1 ${attempt}`));
});

test('a call that was refused for its arguments is there, with what was wrong', async () => {
  const script = `const bad: any = { a: "one", b: 2 };
try { await math.add(bad); } catch {}
await math.add({ a: 1, b: 99 });`;
  const { id, error } = await stage.run(script);
  const trace = await traceOf(id);
  expect(trace).toEqual([
    expect.objectContaining({
      seq: 1,
      tool: 'math.add',
      input: { a: 'one', b: 2 },
      line: 2,
      state: 'failed',
      error: expect.objectContaining({ code: 'invalid_arguments' }),
    }),
    expect.objectContaining({
      seq: 2,
      input: { a: 1, b: 99 },
      line: 3,
      state: 'failed',
      error: expect.objectContaining({ code: 'invalid_result' }),
    }),
  ]);
  expect(trace[0]!.error?.message).toMatch(/^math\.add: a: /);
  expect(trace[1]).not.toHaveProperty('result');
  expect(error).toMatchObject({ code: 'invalid_result', seq: 2, line: 3 });
});

test('open calls show how far they are, and what is open at the end is dropped', async () => {
  const script = `await Promise.all([
  work.slow(), people.ask({ question: "?" }), nobody.home(), echo({ value: 1 }),
]);`;
  const { id } = await stage.create(script);
  const states = await eventually(async () => {
    const found = (await traceOf(id)).map(({ tool, state }) => [tool, state]);
    expect(found).toEqual([
      ['work.slow', 'claimed'],
      ['people.ask', 'deferred'],
      ['nobody.home', 'pending'],
      ['echo', 'completed'],
    ]);
    return found;
  });
  await stage.client.tasks.complete(await stage.token(id, 2), { answer: 'yes' });
  await stage.runs().cancel(id);
  const trace = await traceOf(id);
  expect(trace.map(({ tool, state }) => [tool, state])).toEqual([
    ['work.slow', 'dropped'],
    ['people.ask', 'completed'],
    ['nobody.home', 'dropped'],
    ['echo', 'completed'],
  ]);
  expect(trace[1]!.result).toEqual({ answer: 'yes' });
  expect(trace.map(({ tool }) => tool)).toEqual(states.map(([tool]) => tool));
});

test('an answer by token shows as result or error, a missed one as timed out', async () => {
  const script = `return await Promise.allSettled([
  people.ask({ question: "a" }),
  people.ask({ question: "b" }),
  people.ask({ question: "c", timeout: "1s" }),
]);`;
  const { id } = await stage.create(script);
  await stage.client.tasks.complete(await stage.token(id, 1), { answer: 'yes' });
  await stage.client.tasks.fail(await stage.token(id, 2), { message: 'away', data: { until: 5 } });
  await stage.runs().wait(id);
  expect(await traceOf(id)).toEqual([
    expect.objectContaining({ state: 'completed', result: { answer: 'yes' } }),
    expect.objectContaining({
      state: 'failed',
      error: expect.objectContaining({ code: 'failed', message: 'away', data: { until: 5 } }),
    }),
    expect.objectContaining({
      state: 'failed',
      error: expect.objectContaining({ code: 'timed_out' }),
    }),
  ]);
});

test('pages of a long trace give each call once', async () => {
  const script = 'for (let n = 0; n < 25; n++) await echo({ value: n });';
  const { id } = await stage.run(script);
  const seen: number[] = [];
  const page = await stage.runs().trace(id, { limit: 10 });
  expect(page.data).toHaveLength(10);
  for await (const { seq } of page) seen.push(seq);
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
  await expect(stage.runs().trace(id, { cursor: 'nonsense' })).rejects.toThrow(BadRequestError);
});
