import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HostToolError, type HostToolContext } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.stop());

test('HT-01, HT-05, HT-07, HT-13: a script calls tools by their declared names and gets what their handlers give', async () => {
  const toolset = await theatre.declare({ 'calls.find': {}, calls_plain: {}, 'calls.get-x': {} });
  theatre.worker({
    'calls.find': (input: unknown) => Promise.resolve({ found: input, deep: [1, { é: null }] }),
    calls_plain: () => 'synchronous',
    'calls.get-x': () => undefined,
  });
  const { output } = await theatre.run(
    toolset,
    `return [await calls.find({ email: input.email }), await calls_plain({}), await tools['calls.get-x']({})]`,
    { input: { email: 'ada@example.com' } },
  );
  expect(output).toEqual([
    { found: { email: 'ada@example.com' }, deep: [1, { é: null }] },
    'synchronous',
    null,
  ]);
});

test('HT-03, FC-27: a call that no worker serves waits and says so, and is executed when one comes', async () => {
  const toolset = await theatre.declare({ 'later.work': {} });
  const run = await theatre.runs().create({ toolset, script: 'return await later.work({ n: 1 })' });
  const waiting = await eventually(async () => {
    const seen = await theatre.runs().retrieve(run.id);
    return seen.state === 'waiting' ? seen : undefined;
  });
  expect(waiting.waitingFor).toEqual([
    expect.objectContaining({
      kind: 'tool',
      tool: 'later.work',
      seq: 1,
      state: 'pending',
      served: false,
      line: 1,
    }),
  ]);
  theatre.worker({ 'later.work': (input: unknown) => input });
  const ended = await theatre.runs().wait(run.id, { signal: AbortSignal.timeout(20_000) });
  expect(ended.output).toEqual({ n: 1 });
});

test('HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace', async () => {
  const toolset = await theatre.declare({ 'context.see': {} });
  const seen: HostToolContext[] = [];
  theatre.worker({
    'context.see': (_input, ctx) => {
      seen.push(ctx);
      return { key: ctx.idempotencyKey, aborted: ctx.signal.aborted };
    },
  });
  const script = 'return [await context.see({}), await context.see({})]';
  const [ada, bob] = await Promise.all([
    theatre.run(toolset, script, { namespace: 'ada', labels: { team: 'a' } }),
    theatre.run(toolset, script, { namespace: 'bob smith é' }),
  ]);
  expect(ada.output).toEqual([1, 2].map((seq) => ({ key: `${ada.id}/${seq}`, aborted: false })));
  const facts = seen.map(({ namespace, runId, seq, attempt, labels }) => ({
    namespace,
    runId,
    seq,
    attempt,
    labels,
  }));
  expect(facts).toHaveLength(4);
  for (const [run, namespace, labels] of [
    [ada, 'ada', { team: 'a' }],
    [bob, 'bob smith é', {}],
  ] as const) {
    for (const seq of [1, 2]) {
      expect(facts).toContainEqual({ namespace, runId: run.id, seq, attempt: 1, labels });
    }
  }
  for (const { traceparent } of seen)
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
  const spans = new Set(seen.map(({ traceparent }) => traceparent.split('-')[2]));
  expect(spans.size).toBe(4);
  const traces = new Set(
    seen.map(({ runId, traceparent }) => `${runId} ${traceparent.split('-')[1]}`),
  );
  expect(traces.size).toBe(2);
});

test('HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides', async () => {
  const toolset = await theatre.declare({
    'fail.soft': {},
    'fail.once': { policy: 'at_most_once' },
  });
  let entered = 0;
  const fail = () => {
    entered += 1;
    throw new HostToolError('no customer ada', { data: { code: 'not_found', list: [1] } });
  };
  theatre.worker({ 'fail.soft': fail, 'fail.once': fail });
  const caught = await theatre.run(
    toolset,
    `const seen = [];
     for (const tool of [fail.soft, fail.once]) {
       try { await tool({}) } catch (e) {
         if (!(e instanceof ToolError)) throw e;
         seen.push({ message: e.message, data: e.data, code: e.code, tool: e.tool, seq: e.seq, unknown: e.outcomeUnknown });
       }
     }
     return seen`,
  );
  const data = { code: 'not_found', list: [1] };
  expect(caught.output).toEqual([
    { message: 'no customer ada', data, code: 'failed', tool: 'fail.soft', seq: 1, unknown: false },
    { message: 'no customer ada', data, code: 'failed', tool: 'fail.once', seq: 2, unknown: false },
  ]);
  expect(entered).toBe(2);
  const uncaught = await theatre.run(toolset, '\nawait fail.soft({})');
  expect(uncaught).toMatchObject({
    state: 'failed',
    error: { name: 'ToolError', message: 'no customer ada', code: 'failed', data, seq: 1, line: 2 },
  });
});

test('HT-40, HT-24, HT-26: a retryable failure is called again later, with the same key and a higher attempt', async () => {
  const toolset = await theatre.declare({ 'again.try': {} });
  const entered: { key: string; attempt: number; at: number }[] = [];
  theatre.worker({
    'again.try': (_input, { idempotencyKey, attempt }) => {
      entered.push({ key: idempotencyKey, attempt, at: Date.now() });
      if (attempt === 1) throw new HostToolError('busy', { retryable: true });
      if (attempt === 2) throw new HostToolError('busy', { retryable: true, retryAfter: '50ms' });
      return attempt;
    },
  });
  const run = await theatre.run(toolset, 'return await again.try({})');
  expect(run.output).toBe(3);
  expect(entered.map(({ key, attempt }) => [key, attempt])).toEqual(
    [1, 2, 3].map((n) => [`${run.id}/1`, n]),
  );
  expect((entered[1]?.at ?? 0) - (entered[0]?.at ?? 0)).toBeGreaterThanOrEqual(900);
  const [call] = (await theatre.runs().trace(run.id)).data;
  expect(call).toMatchObject({ state: 'completed', attempt: 3, result: 3 });
});

test('HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError', async () => {
  const toolset = await theatre.declare({
    'final.once': { policy: 'at_most_once' },
    'final.bug': {},
    'final.text': {},
  });
  const errors: unknown[] = [];
  let entered = 0;
  theatre.worker(
    {
      'final.once': () => {
        entered += 1;
        throw new HostToolError('busy', { retryable: true });
      },
      'final.bug': () => {
        entered += 1;
        throw new TypeError('x is not a function');
      },
      'final.text': () => {
        entered += 1;
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- handlers may throw anything
        throw 'a text';
      },
    },
    {
      onError: (error, context) =>
        errors.push([String(error), context.during, context.tool, context.seq]),
    },
  );
  const { output } = await theatre.run(
    toolset,
    `const told = [];
     for (const tool of [final.once, final.bug, final.text]) await tool({}).catch((e: any) => told.push(e.message));
     return told`,
  );
  expect(output).toEqual(['busy', 'TypeError: x is not a function', 'Error: a text']);
  expect(entered).toBe(3);
  expect(errors).toEqual([
    ['TypeError: x is not a function', 'handler', 'final.bug', 2],
    ['a text', 'handler', 'final.text', 3],
  ]);
});

test('HT-51: a call that stays retryable has five attempts, then a ToolError', async () => {
  const toolset = await theatre.declare({ 'five.try': {} });
  const attempts: number[] = [];
  theatre.worker({
    'five.try': (_input, { attempt }) => {
      attempts.push(attempt);
      throw new HostToolError('still busy', {
        retryable: true,
        retryAfter: '10ms',
        data: { attempt },
      });
    },
  });
  const run = await theatre.run(toolset, 'await five.try({})');
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
  expect(run.error).toMatchObject({
    code: 'attempts_exhausted',
    message: 'still busy',
    data: { attempt: 5 },
  });
});

test('FC-07: what JSON cannot hold fails the call by its path, at once, and the worker goes on', async () => {
  const values: Record<string, () => unknown> = {
    bigint: () => 10n,
    cycle: () => {
      const a: Record<string, unknown> = {};
      a['self'] = a;
      return a;
    },
    map: () => ({ inner: [new Map()] }),
    nan: () => NaN,
    fn: () => () => 1,
    getter: () => ({
      get broken() {
        throw new Error('own');
      },
    }),
  };
  const toolset = await theatre.declare({ 'values.give': {}, 'values.data': {} });
  const errors: string[] = [];
  theatre.worker(
    {
      'values.give': ({ kind }: { kind: string }) =>
        kind === 'date' ? new Date(0) : values[kind]?.(),
      'values.data': () => {
        throw new HostToolError('with a cycle', { data: values['cycle']?.() });
      },
    },
    { onError: (error) => errors.push(String(error)) },
  );
  const started = Date.now();
  const { output } = await theatre.run(
    toolset,
    `const told: Record<string, unknown> = {};
     for (const kind of ['bigint', 'cycle', 'map', 'nan', 'fn', 'getter', 'undefined', 'date']) {
       told[kind] = await values.give({ kind }).catch((e: any) => 'failed: ' + e.message);
     }
     told.data = await values.data({}).catch((e: any) => 'failed: ' + e.message);
     return told`,
  );
  expect(output).toMatchObject({
    bigint: expect.stringMatching(/^failed: .*BigInt/i) as unknown,
    cycle: expect.stringMatching(/^failed: .*self/) as unknown,
    map: expect.stringMatching(/^failed: .*inner\[0\].*Map/) as unknown,
    nan: expect.stringMatching(/^failed: .*NaN/) as unknown,
    fn: expect.stringMatching(/^failed: .*function/) as unknown,
    getter: expect.stringMatching(/^failed: .*(own|broken)/) as unknown,
    undefined: null,
    date: '1970-01-01T00:00:00.000Z',
    data: 'failed: with a cycle',
  });
  expect(errors).toHaveLength(7);
  expect(Date.now() - started).toBeLessThan(30_000);
});
