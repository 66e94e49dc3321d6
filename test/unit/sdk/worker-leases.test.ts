import { afterEach, describe, expect, test } from '@jest/globals';
import { ConflictError, type HostToolContext } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { gate } from './support/gate';
import {
  accepted,
  broken,
  FakeServer,
  hang,
  refusal,
  startWorker,
  stopWorkers,
  task,
  type Received,
} from './support/fake-server';

afterEach(stopWorkers);

const HEARTBEAT = '/v1/tasks/heartbeat';
const COMPLETE = '/v1/tasks/complete';
const FAIL = '/v1/tasks/fail';

const tokensOf = (request: Received | undefined): string[] =>
  (request?.body['tasks'] as { token: string }[]).map(({ token }) => token);

/** A worker with one call whose handler waits until the test lets it go. */
function waitingCall(
  server: FakeServer,
  leaseMs: number,
  policy: 'retry' | 'at_most_once' = 'retry',
) {
  const finish = gate<unknown>();
  let context: HostToolContext | undefined;
  const started = startWorker(server, {
    concurrency: 1,
    tools: {
      'crm.find': (_input, ctx) => {
        context = ctx;
        return finish.promise;
      },
    },
  });
  server.offer(task({ token: 't', leaseMs, policy, runId: 'run_01k4zt6m', seq: 1 }));
  return {
    ...started,
    finish,
    context: (): HostToolContext | undefined => context,
    entered: () => eventually(() => context !== undefined),
  };
}

describe('heartbeats', () => {
  test('HT-06: leave by themselves while a handler runs; a handler of several leases keeps its claim', async () => {
    const server = new FakeServer();
    const call = waitingCall(server, 1_500);
    await call.entered();
    await eventually(() => server.to(HEARTBEAT).length >= 7);
    call.finish.open('done');
    await eventually(() => server.to(COMPLETE).length === 1);
    expect(call.context()?.signal.aborted).toBe(false);
    for (const { body } of server.to(HEARTBEAT)) {
      expect(body).toEqual({
        worker: expect.any(String),
        tasks: [{ token: 't', begun: true }],
      });
    }
    const sent = server.to(HEARTBEAT).length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(server.to(HEARTBEAT)).toHaveLength(sent);
    expect(call.errors).toEqual([]);
  });

  test('the heartbeats of all calls of a worker share requests', async () => {
    const server = new FakeServer();
    const finish = gate();
    let entered = 0;
    startWorker(server, {
      tools: { 'crm.find': () => (entered++, finish.promise) },
    });
    for (let n = 0; n < 8; n++) server.offer(task({ leaseMs: 3_000 }));
    await eventually(() => entered === 8);
    const before = server.to(HEARTBEAT).length;
    await eventually(() =>
      server
        .to(HEARTBEAT)
        .slice(before)
        .some((request) => tokensOf(request).length === 8),
    );
    finish.open();
  });

  test('an instant handler under retry needs none', async () => {
    const server = new FakeServer();
    startWorker(server, { tools: { 'crm.find': () => 1 } });
    server.offer(task());
    await eventually(() => server.to(COMPLETE).length === 1);
    expect(server.to(HEARTBEAT)).toHaveLength(0);
  });

  test('HT-35: ctx.heartbeat() sends one now, beside the others, and resolves when it is accepted', async () => {
    const server = new FakeServer();
    const call = waitingCall(server, 60_000);
    await call.entered();
    await eventually(() => server.to(HEARTBEAT).length === 1);
    const answer = gate();
    server.on(HEARTBEAT, async (request) => {
      await answer.promise;
      return accepted(request);
    });
    let resolved = false;
    const beat = call
      .context()!
      .heartbeat()
      .then(() => (resolved = true));
    expect(server.to(HEARTBEAT)).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(resolved).toBe(false);
    answer.open();
    await beat;
    call.finish.open(1);
  });

  test('HT-33, HT-77, HT-79: one that fails is reported and repeated soon; the signal is not aborted', async () => {
    const server = new FakeServer().on(HEARTBEAT, (request, n) => {
      if (n === 2) broken();
      if (n === 3) return { tasks: [{ status: 'retry' }] };
      return n === 4 ? { tasks: [] } : accepted(request);
    });
    const call = waitingCall(server, 3_000);
    await call.entered();
    await eventually(() => server.to(HEARTBEAT).length >= 6);
    expect(call.context()?.signal.aborted).toBe(false);
    expect(call.errors).toHaveLength(3);
    for (const { context } of call.errors) {
      expect(context).toEqual({
        during: 'heartbeat',
        tool: 'crm.find',
        runId: 'run_01k4zt6m',
        seq: 1,
      });
    }
    call.finish.open('kept');
    await eventually(() => server.to(COMPLETE).length === 1);
  });

  test('HT-78: a key refused for a heartbeat stops the worker too', async () => {
    const server = new FakeServer().on(HEARTBEAT, () => refusal(401, 'unauthenticated'));
    const call = waitingCall(server, 300);
    await call.entered();
    const ended = expect(call.worker.done).rejects.toMatchObject({ status: 401 });
    await eventually(() => call.context()?.signal.aborted === true);
    call.finish.open(1);
    await ended;
  });
});

describe('lost claims', () => {
  test('HT-30, HT-32, FC-20: the server says lost: the signal aborts with a reason, the result is dropped in silence', async () => {
    const server = new FakeServer().on(HEARTBEAT, (request, n) =>
      n < 3 ? accepted(request) : { tasks: [{ status: 'lost' }] },
    );
    const call = waitingCall(server, 300);
    await call.entered();
    await eventually(() => call.context()?.signal.aborted === true);
    const reason: unknown = call.context()?.signal.reason;
    expect(ConflictError.isInstance(reason) && reason.code).toBe('claim_lost');
    await expect(call.context()!.heartbeat()).rejects.toBe(reason);
    call.finish.open('late');
    await call.worker.stop();
    expect([...server.to(COMPLETE), ...server.to(FAIL)]).toEqual([]);
    expect(call.errors).toEqual([]);
  });

  test('what a handler throws because of the abort is dropped in silence too', async () => {
    const server = new FakeServer().on(HEARTBEAT, () => ({ tasks: [{ status: 'lost' }] }));
    const entered = gate();
    const started = startWorker(server, {
      tools: {
        'crm.find': (_input, ctx) =>
          new Promise((_resolve, reject) => {
            ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error));
            entered.open();
          }),
      },
    });
    server.offer(task());
    await entered.promise;
    await eventually(() => server.to(HEARTBEAT).length > 0);
    await started.worker.stop();
    expect(server.to(FAIL)).toEqual([]);
    expect(started.errors).toEqual([]);
  });

  test('HT-31: without an accepted heartbeat the lease ends, counted from when the last one was sent', async () => {
    let lastAccepted = 0;
    const server = new FakeServer().on(HEARTBEAT, (request, n) => {
      if (n > 2) return broken();
      lastAccepted = performance.now();
      return accepted(request);
    });
    const call = waitingCall(server, 600);
    await call.entered();
    let abortedAt = 0;
    call.context()!.signal.addEventListener('abort', () => (abortedAt = performance.now()));
    await eventually(() => abortedAt > 0);
    expect(abortedAt - lastAccepted).toBeGreaterThanOrEqual(590);
    call.finish.open('late');
    await call.worker.stop();
    expect(server.to(COMPLETE)).toEqual([]);
  });

  test('FC-06: after a handler blocked its event loop for 3 leases its signal is aborted and its result dropped', async () => {
    const server = new FakeServer();
    const returned = gate<boolean>();
    const started = startWorker(server, {
      tools: {
        'crm.find': async (_input, ctx) => {
          const until = Date.now() + 900;
          while (Date.now() < until);
          await new Promise((resolve) => setTimeout(resolve, 20));
          returned.open(ctx.signal.aborted);
          return 'late';
        },
      },
    });
    server.offer(task({ leaseMs: 300 }));
    expect(await returned.promise).toBe(true);
    await started.worker.stop();
    expect(server.to(COMPLETE)).toEqual([]);
  });

  test('FC-06: a result of a handler that blocked past its lease and returns at once is dropped too', async () => {
    const server = new FakeServer();
    const started = startWorker(server, {
      tools: {
        'crm.find': () => {
          const until = Date.now() + 400;
          while (Date.now() < until);
          return 'late';
        },
      },
    });
    server.offer(task({ leaseMs: 300 }));
    await eventually(() => server.to('/v1/tasks/claim').length > 5);
    await started.worker.stop();
    expect(server.to(COMPLETE)).toEqual([]);
  });

  test('HT-33: stop() does not abort the signal', async () => {
    const server = new FakeServer();
    const call = waitingCall(server, 60_000);
    await call.entered();
    const stopped = call.worker.stop();
    expect(call.context()?.signal.aborted).toBe(false);
    call.finish.open('counts');
    await stopped;
    expect(call.context()?.signal.aborted).toBe(false);
    expect(server.to(COMPLETE)).toHaveLength(1);
  });
});

describe('at_most_once', () => {
  test('HT-53: the handler starts only after the first heartbeat was accepted', async () => {
    const server = new FakeServer();
    const answer = gate();
    server.on(HEARTBEAT, async (request) => {
      await answer.promise;
      return accepted(request);
    });
    const call = waitingCall(server, 60_000, 'at_most_once');
    await eventually(() => server.to(HEARTBEAT).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(call.context()).toBeUndefined();
    answer.open();
    await call.entered();
    call.finish.open(1);
  });

  test('HT-53: the first heartbeat is repeated until it is accepted, and only then the handler starts', async () => {
    const server = new FakeServer().on(HEARTBEAT, (request, n) =>
      n < 3 ? broken() : accepted(request),
    );
    const call = waitingCall(server, 3_000, 'at_most_once');
    await call.entered();
    expect(server.to(HEARTBEAT)).toHaveLength(3);
    call.finish.open(1);
  });

  test.each([
    ['is answered with lost', () => ({ tasks: [{ status: 'lost' }] })],
    ['never gets an answer', hang],
  ])('HT-53: the handler is not entered where the first heartbeat %s', async (_, script) => {
    const server = new FakeServer().on(HEARTBEAT, script);
    const call = waitingCall(server, 300, 'at_most_once');
    await eventually(() => server.to('/v1/tasks/claim').length === 2);
    await call.worker.stop();
    expect(call.context()).toBeUndefined();
    expect([...server.to(COMPLETE), ...server.to(FAIL)]).toEqual([]);
  });

  test('HT-05: under retry it starts at once, whatever becomes of the heartbeat', async () => {
    const server = new FakeServer().on(HEARTBEAT, hang);
    const call = waitingCall(server, 60_000);
    await call.entered();
    call.finish.open(1);
  });
});

describe('answers', () => {
  test('the answer leaves after the heartbeat in flight', async () => {
    const order: string[] = [];
    const answer = gate();
    const server = new FakeServer()
      .on(HEARTBEAT, async (request) => {
        await answer.promise;
        order.push('heartbeat answered');
        return accepted(request);
      })
      .on(COMPLETE, () => {
        order.push('answer sent');
        return { ok: true };
      });
    const call = waitingCall(server, 60_000);
    await eventually(() => server.to(HEARTBEAT).length === 1);
    call.finish.open(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    answer.open();
    await eventually(() => order.length === 2);
    expect(order).toEqual(['heartbeat answered', 'answer sent']);
  });

  test('HT-77, HT-79: an answer that fails is reported and sent again, the claim kept by heartbeats meanwhile', async () => {
    const server = new FakeServer().on(COMPLETE, (_request, n) => {
      if (n === 1) return broken();
      return n === 2 ? refusal(503, 'unavailable') : { ok: true };
    });
    const call = waitingCall(server, 3_000);
    await call.entered();
    call.finish.open('counts');
    await eventually(() => server.to(COMPLETE).length === 3);
    expect(server.to(COMPLETE).map(({ body }) => body)).toEqual(
      Array(3).fill({ token: 't', result: 'counts' }),
    );
    expect(call.errors.map(({ during }) => during)).toEqual(['answer', 'answer']);
    expect(server.to(HEARTBEAT).length).toBeGreaterThan(1);
  });

  test('an answer that cannot be sent is given up when the lease has passed, and the worker goes on', async () => {
    const server = new FakeServer()
      .on(COMPLETE, (request) => (request.body['token'] === 't' ? broken() : { ok: true }))
      .on(HEARTBEAT, () => broken());
    const call = waitingCall(server, 500);
    call.finish.open('x');
    server.offer(task({ token: 'next' }));
    await eventually(() => server.to(COMPLETE).some(({ body }) => body['token'] === 'next'));
  });

  test.each(['claim_lost', 'run_ended'])(
    'HT-32, FC-20: 409 %s is no fault: nothing is reported',
    async (code) => {
      const server = new FakeServer().on(COMPLETE, () => refusal(409, code));
      const call = waitingCall(server, 60_000);
      call.finish.open('x');
      await eventually(() => server.to(COMPLETE).length === 1);
      await call.worker.stop();
      expect(server.to(COMPLETE)).toHaveLength(1);
      expect(call.errors).toEqual([]);
    },
  );

  test('a result that the server refuses fails the call instead of leaving it to the lease', async () => {
    const server = new FakeServer().on(COMPLETE, () => refusal(413, 'too_large', { limit: 5 }));
    const call = waitingCall(server, 60_000);
    call.finish.open('x');
    await eventually(() => server.to(FAIL).length === 1);
    expect(server.to(FAIL)[0]?.body['error']).toEqual({
      message: 'the result was refused: said too_large',
    });
    expect(call.errors).toMatchObject([{ during: 'answer', error: { code: 'too_large' } }]);
  });

  test('HT-78: a key refused for an answer stops the worker', async () => {
    const server = new FakeServer().on(COMPLETE, () => refusal(403, 'forbidden'));
    const call = waitingCall(server, 60_000);
    call.finish.open('x');
    await expect(call.worker.done).rejects.toMatchObject({ status: 403 });
    expect(server.to(COMPLETE)).toHaveLength(1);
    expect(call.errors.map(({ during }) => during)).toEqual(['answer']);
  });

  test('HT-57: a deferral ends the heartbeats, is repeated when its reply is lost, and survives a lost claim', async () => {
    const server = new FakeServer().on('/v1/tasks/defer', (_request, n) =>
      n === 1 ? broken() : { token: 'd', deadline: '2030-01-01T00:00:00.000Z' },
    );
    const goOn = gate();
    let context: HostToolContext | undefined;
    const started = startWorker(server, {
      tools: {
        'crm.find': async (_input, ctx) => {
          context = ctx;
          await ctx.defer();
          await goOn.promise;
        },
      },
    });
    server.offer(task({ leaseMs: 1_500 }));
    await eventually(() => server.to('/v1/tasks/defer').length === 2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const sent = server.to(HEARTBEAT).length;
    await new Promise((resolve) => setTimeout(resolve, 1_700));
    expect(server.to(HEARTBEAT)).toHaveLength(sent);
    expect(context?.signal.aborted).toBe(false);
    await context?.heartbeat();
    expect(started.errors.map(({ during }) => during)).toEqual(['answer']);
    goOn.open();
  });
});
