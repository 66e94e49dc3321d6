import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { inspect } from 'node:util';
import type * as sdk from '@rewind.codes/sdk';
import { HostToolError, tool, type HostToolContext, type HostToolHandler } from '@rewind.codes/sdk';
import type { Task } from '@rewind.codes/sdk/protocol';
import { z } from 'zod';
import { eventually } from '../../support/eventually';
import { gate } from './support/gate';
import {
  FakeServer,
  refusal,
  startWorker,
  stopWorkers,
  task,
  type TestWorker,
} from './support/fake-server';

afterEach(stopWorkers);

const COMPLETE = '/v1/tasks/complete';
const FAIL = '/v1/tasks/fail';

/** Runs one call and gives how it was answered. */
async function call(
  handler: HostToolHandler | { handler: HostToolHandler },
  fields: Partial<Task> = {},
  server = new FakeServer(),
): Promise<{ path: string; body: Record<string, unknown>; errors: TestWorker['errors'] }> {
  const started = startWorker(server, { tools: { 'crm.find': handler } });
  server.offer(task({ token: 't', ...fields }));
  await eventually(() => server.to(COMPLETE).length + server.to(FAIL).length > 0);
  const [answer] = [...server.to(COMPLETE), ...server.to(FAIL)];
  await started.worker.stop();
  return { path: answer!.path, body: answer!.body, errors: started.errors };
}

describe('handlers', () => {
  test('HT-05, HT-07, HT-13: the handler of the tool gets the arguments, its result is the answer', async () => {
    const asynchronous = await call(async ({ email }: { email: string }) => {
      await Promise.resolve();
      return { id: 1, email };
    });
    expect(asynchronous).toMatchObject({
      path: COMPLETE,
      body: { token: 't', result: { id: 1, email: 'ada@example.com' } },
      errors: [],
    });
    expect((await call(() => 'at once')).body).toEqual({ token: 't', result: 'at once' });
  });

  test('HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom', async () => {
    let ctx: HostToolContext | undefined;
    await call((_input, context) => void (ctx = context), {
      runId: 'run_01k4zt6m',
      seq: 7,
      attempt: 2,
      namespace: 'user-7',
      labels: { conversation: 'c1' },
      credentials: { crm: 'hunter2' },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(ctx).toMatchObject({
      runId: 'run_01k4zt6m',
      seq: 7,
      attempt: 2,
      idempotencyKey: 'run_01k4zt6m/7',
      namespace: 'user-7',
      labels: { conversation: 'c1' },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(ctx?.signal).toBeInstanceOf(AbortSignal);
    expect(ctx?.signal.aborted).toBe(false);
    expect(ctx?.credentials).toEqual({ crm: 'hunter2' });
    expect(inspect(ctx) + JSON.stringify(ctx)).not.toMatch(/hunter2/);
    expect(Object.isFrozen(ctx?.labels)).toBe(true);
  });

  test('a handler given as an object keeps its this', async () => {
    const object = {
      customer: 'Ada',
      handler(this: { customer: string }) {
        return this.customer;
      },
    };
    expect((await call(object)).body['result']).toBe('Ada');
  });
});

describe('failures', () => {
  test('HT-37, HT-38, HT-45: a HostToolError is the answer, with its data, and is not reported', async () => {
    const { path, body, errors } = await call(() => {
      throw new HostToolError('no customer', { data: { code: 'not_found' } });
    });
    expect([path, body, errors]).toEqual([
      FAIL,
      { token: 't', error: { message: 'no customer', data: { code: 'not_found' } } },
      [],
    ]);
  });

  test('HT-40: retryable and retryAfter go with it', async () => {
    const { body } = await call(() => {
      throw new HostToolError('busy', { retryable: true, retryAfter: '1.5s' });
    });
    expect(body['error']).toEqual({ message: 'busy', retryable: true, retryAfterMs: 1500 });
  });

  test('a HostToolError of another copy of the package counts as one', async () => {
    let copy: typeof sdk | undefined;
    jest.isolateModules(() => {
      copy = jest.requireActual<typeof sdk>('@rewind.codes/sdk');
    });
    const { body, errors } = await call(() => {
      throw new copy!.HostToolError('from elsewhere', { data: 1 });
    });
    expect(body['error']).toEqual({ message: 'from elsewhere', data: 1 });
    expect(errors).toEqual([]);
  });

  const refusing = new Proxy(
    {},
    {
      get() {
        throw new Error();
      },
    },
  );

  test.each<[string, unknown, string]>([
    ['an error', new RangeError('r'), 'RangeError: r'],
    ['an error of its own', Object.assign(new Error('m'), { name: 'Special' }), 'Special: m'],
    ['an error without a name', Object.assign(new Error('m'), { name: '' }), 'Error: m'],
    ['a text', 'just text', 'Error: just text'],
    ['undefined', undefined, 'Error: undefined'],
    ['an object', { code: 1 }, 'Error: {"code":1}'],
    ['an object with a message', { message: 'm' }, 'Error: m'],
    ['a BigInt', 1n, 'Error: 1'],
    ['a proxy that refuses', refusing, 'Error: something was thrown that cannot be read'],
  ])(
    'HT-43, HT-44: %s fails the call as Name: message and is reported',
    async (_, thrown, message) => {
      const handler = (): never => {
        throw thrown as Error;
      };
      const { path, body, errors } = await call(handler, { runId: 'run_01k4zt6m', seq: 3 });
      expect([path, body['error']]).toEqual([FAIL, { message }]);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.context).toEqual({
        during: 'handler',
        tool: 'crm.find',
        runId: 'run_01k4zt6m',
        seq: 3,
      });
    },
  );

  test('a message over 16 KiB is cut, never inside a character', async () => {
    const { body } = await call(() => {
      throw new HostToolError('ø'.repeat(20_000));
    });
    const { message } = body['error'] as { message: string };
    expect(message).toMatch(/^ø+…$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(message)).toBeGreaterThan(16 * 1024 - 8);
  });
});

describe('values that JSON cannot hold', () => {
  test('FC-07: undefined becomes null', async () => {
    expect((await call(() => undefined)).body).toEqual({ token: 't', result: null });
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.each<[unknown, string]>([
    [10n, 'TypeError: result is a BigInt, which JSON cannot hold'],
    [
      cycle,
      'TypeError: result.self is a reference to an object around it (a cycle), which JSON cannot hold',
    ],
    [
      { items: [0, 1, 2, new Map()] },
      'TypeError: result.items[3] is a Map, which JSON cannot hold',
    ],
    [NaN, 'TypeError: result is NaN, which JSON cannot hold'],
    [() => 1, 'TypeError: result is a function, which JSON cannot hold'],
    ['x'.repeat(2 ** 20), 'RangeError: result is larger than 1048576 bytes of JSON'],
  ])(
    'FC-07: the call fails with the path, onError hears it once, the worker serves the next (%#)',
    async (value, message) => {
      const server = new FakeServer();
      const { path, body, errors } = await call(() => value, {}, server);
      expect([path, body['error']]).toEqual([FAIL, { message }]);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.during).toBe('handler');
    },
  );

  test('FC-07: data with a cycle is left out; the failure keeps its message, onError hears of the data', async () => {
    const server = new FakeServer();
    const started = startWorker(server, {
      tools: {
        'crm.find': (input) => {
          if (input === 'next') return 'served';
          throw new HostToolError('no customer', { data: cycle });
        },
      },
    });
    server.offer(task({ token: 't' }));
    server.offer(task({ input: 'next' }));
    await eventually(() => server.to(COMPLETE).length === 1);
    expect(server.to(FAIL)[0]?.body).toEqual({ token: 't', error: { message: 'no customer' } });
    expect(started.errors.map(({ error }) => (error as Error).message)).toEqual([
      'data.self is a reference to an object around it (a cycle), which JSON cannot hold',
    ]);
  });
});

describe('tool() with a schema', () => {
  const find = (
    handler: HostToolHandler<{ email: string; page: number }>,
  ): ReturnType<typeof tool> =>
    tool({
      description: 'd',
      input: z.object({
        email: z.email().transform((v) => v.toUpperCase()),
        page: z.int().default(1),
      }),
      output: z.object({ id: z.string() }),
      handler,
    });

  test('the handler gets the parsed input: defaults and transforms hold', async () => {
    const { body } = await call(find(({ email, page }) => ({ id: `${email} ${page + 1}` })));
    expect(body['result']).toEqual({ id: 'ADA@EXAMPLE.COM 2' });
  });

  test('an input that it refuses fails the call with the path, without entering the handler or onError', async () => {
    const handler = jest.fn(() => ({ id: '1' }));
    const { path, body, errors } = await call(find(handler), {
      input: { email: 'ada', page: 1.5 },
    });
    expect(path).toBe(FAIL);
    const error = body['error'] as { message: string; data: { issues: { path: string }[] } };
    expect(error.message).toMatch(/^invalid input: input\.email: .*; input\.page: /);
    expect(error.data.issues.map((issue) => issue.path)).toEqual(['input.email', 'input.page']);
    expect(handler).not.toHaveBeenCalled();
    expect(errors).toEqual([]);
  });

  test('the result is parsed too: members that are not declared are left out', async () => {
    const { body } = await call(find(() => ({ id: '1', password: 'hash' })));
    expect(body['result']).toEqual({ id: '1' });
    const refused = await call(find(() => ({ name: 'Ada' })));
    expect(refused.body['error']).toMatchObject({
      message: expect.stringMatching(/^invalid result: result\.id: /),
    });
  });

  test('JSON Schema is left to the server', async () => {
    const plain = tool({
      description: 'd',
      input: { type: 'object' },
      handler: (input: unknown) => input,
    });
    expect((await call(plain, { input: 5 })).body['result']).toBe(5);
  });
});

describe('deferring', () => {
  test('HT-36, HT-56, HT-60, HT-63: defer gives token and deadline, and the return value is no answer', async () => {
    const server = new FakeServer();
    const got = gate<unknown>();
    const started = startWorker(server, {
      tools: {
        'crm.find': async (_input, { defer }) => {
          got.open(await defer({ timeout: '3d' }));
          return 'not an answer';
        },
      },
    });
    server.offer(task({ token: 't' }));
    expect(await got.promise).toEqual({
      token: 'deferred-token',
      deadline: new Date('2030-01-01T00:00:00Z'),
    });
    await started.worker.stop();
    expect(server.to('/v1/tasks/defer').map(({ body }) => body)).toEqual([
      { token: 't', timeout: '3d' },
    ]);
    expect([...server.to(COMPLETE), ...server.to(FAIL)]).toEqual([]);
    expect(started.errors).toEqual([]);
  });

  test('a second defer gives the same deferral', async () => {
    const server = new FakeServer();
    const got = gate<unknown[]>();
    startWorker(server, {
      tools: {
        'crm.find': async (_input, ctx) =>
          got.open([await ctx.defer(), await ctx.defer(), ...(await Promise.all([ctx.defer()]))]),
      },
    });
    server.offer(task());
    const [first, second, third] = await got.promise;
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(server.to('/v1/tasks/defer')).toHaveLength(1);
  });

  test('a throw after defer goes to onError and answers nothing, a HostToolError too', async () => {
    for (const thrown of [new Error('too late'), new HostToolError('too late')]) {
      const server = new FakeServer();
      const started = startWorker(server, {
        tools: {
          'crm.find': async (_input, ctx) => {
            await ctx.defer();
            throw thrown;
          },
        },
      });
      server.offer(task());
      await eventually(() => started.errors.length === 1);
      await started.worker.stop();
      expect(started.errors).toMatchObject([{ error: thrown, during: 'handler' }]);
      expect([...server.to(COMPLETE), ...server.to(FAIL)]).toEqual([]);
    }
  });

  test('a deferral that the handler does not await is waited for', async () => {
    const server = new FakeServer();
    const reply = gate();
    server.on('/v1/tasks/defer', async () => {
      await reply.promise;
      return { token: 'd', deadline: '2030-01-01T00:00:00.000Z' };
    });
    const started = startWorker(server, {
      tools: { 'crm.find': (_input, ctx) => void ctx.defer() },
    });
    server.offer(task());
    await eventually(() => server.to('/v1/tasks/defer').length === 1);
    reply.open();
    await started.worker.stop();
    expect([...server.to(COMPLETE), ...server.to(FAIL)]).toEqual([]);
  });

  test('a deferral that fails leaves the call with the handler; not awaited, it fails the call', async () => {
    const server = new FakeServer().on('/v1/tasks/defer', () => refusal(400, 'invalid_request'));
    const caught = await call(
      async (_input, ctx) =>
        ctx.defer().then(
          () => 'deferred',
          () => 'answered myself',
        ),
      {},
      server,
    );
    expect(caught.body['result']).toBe('answered myself');

    const other = new FakeServer().on('/v1/tasks/defer', () => refusal(400, 'invalid_request'));
    const ignored = await call((_input, ctx) => void ctx.defer(), {}, other);
    expect(ignored.path).toBe(FAIL);
    expect(ignored.body['error']).toMatchObject({ message: expect.stringMatching(/said/) });
  });

  test('a timeout that is no duration is refused before anything is sent', async () => {
    const server = new FakeServer();
    const { body } = await call(
      async (_input, ctx) => ctx.defer({ timeout: '3 days' as '3d' }),
      {},
      server,
    );
    expect((body['error'] as { message: string }).message).toMatch(/timeout/);
    expect(server.to('/v1/tasks/defer')).toHaveLength(0);
  });

  test('a timeout of years is bounded by the longest time to live', async () => {
    const server = new FakeServer();
    const started = startWorker(server, {
      tools: { 'crm.find': async (_input, ctx) => ctx.defer({ timeout: '9999d' }) },
    });
    server.offer(task());
    await eventually(() => server.to('/v1/tasks/defer').length === 1);
    expect(server.to('/v1/tasks/defer')[0]?.body['timeout']).toBe('365d');
    expect(started.errors).toEqual([]);
  });
});
