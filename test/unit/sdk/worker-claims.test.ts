import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { AuthenticationError, BadRequestError, type WorkerOptions } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { gate } from './support/gate';
import { broken, FakeServer, refusal, startWorker, stopWorkers, task } from './support/fake-server';

afterEach(stopWorkers);

const CLAIM = '/v1/tasks/claim';
const tools = { 'crm.find': () => null };

describe('claiming', () => {
  test('HT-11: the worker is there at once and claims from the next microtask on, without a start call', async () => {
    const server = new FakeServer();
    const started = startWorker(server, { tools });
    expect(server.requests).toHaveLength(0);
    expect(started.worker.done).toBeInstanceOf(Promise);
    await Promise.resolve();
    expect(server.to(CLAIM).length).toBeGreaterThan(0);
  });

  test('HT-12, HT-69, HT-74: a claim names the tools, the toolset, the wait, the worker and its free slots', async () => {
    const server = new FakeServer();
    startWorker(server, {
      tools: { 'crm.find': () => 1, ask_user: { handler: () => 1 } },
      toolset: 'ts_12345678',
      concurrency: 2,
      pollWait: '2.5s',
    });
    await eventually(() => server.openClaims === 2);
    expect(server.to(CLAIM)[0]?.body).toEqual({
      tools: ['ask_user', 'crm.find'],
      toolset: 'ts_12345678',
      wait: '2500ms',
      worker: expect.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
      slots: 2,
    });
  });

  test('HT-71, HT-74: without a toolset none is named, and the wait is 30 s', async () => {
    const server = new FakeServer();
    startWorker(server, { tools });
    await eventually(() => server.openClaims > 0);
    const body = server.to(CLAIM)[0]?.body;
    expect(body).not.toHaveProperty('toolset');
    expect(body?.['wait']).toBe('30s');
  });

  test('claims of a namespaced client carry the namespace', async () => {
    const server = new FakeServer();
    startWorker(server, { tools }, server.client().namespace('user-7'));
    await eventually(() => server.openClaims > 0);
    expect(server.to(CLAIM)[0]?.headers.get('rewind-namespace')).toBe('user-7');
  });

  test('HT-04: an idle worker holds five claims open and asks again when one comes back empty', async () => {
    const server = new FakeServer();
    const started = startWorker(server, { tools });
    await eventually(() => server.openClaims === 5);
    expect(server.to(CLAIM)).toHaveLength(5);
    server.releaseClaims();
    await eventually(() => server.openClaims === 5);
    expect(server.to(CLAIM)).toHaveLength(10);
    expect(started.errors).toEqual([]);
  });

  test('HT-04: empty answers that come at once do not become a tight loop', async () => {
    const server = new FakeServer().on(CLAIM, () => ({ task: null }));
    startWorker(server, { tools });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.to(CLAIM).length).toBeLessThan(40);
  });

  test('HT-72, HT-73: open claims and running handlers are never more than concurrency', async () => {
    const server = new FakeServer();
    const blocked = gate();
    let running = 0;
    let most = 0;
    const entered: unknown[] = [];
    startWorker(server, {
      concurrency: 3,
      tools: {
        'crm.find': async (input) => {
          entered.push(input);
          most = Math.max(most, ++running + server.openClaims);
          await blocked.promise;
          running--;
        },
      },
    });
    for (let n = 0; n < 8; n++) server.offer(task({ input: n }));
    await eventually(() => entered.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([running, server.openClaims]).toEqual([3, 0]);
    blocked.open();
    await eventually(() => server.to('/v1/tasks/complete').length === 8);
    expect(entered).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('HT-72: concurrency is 10 by default', async () => {
    const server = new FakeServer();
    const blocked = gate();
    let running = 0;
    startWorker(server, {
      tools: { 'crm.find': () => (running++, blocked.promise) },
    });
    for (let n = 0; n < 12; n++) server.offer(task());
    await eventually(() => running === 10);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(running).toBe(10);
    blocked.open();
  });

  test('a task of a tool that the worker does not have is given back at once', async () => {
    const server = new FakeServer();
    startWorker(server, { tools });
    server.offer(task({ tool: 'toString', token: 'not-mine' }));
    await eventually(() => server.to('/v1/tasks/release').length === 1);
    expect(server.to('/v1/tasks/release')[0]?.body).toEqual({ token: 'not-mine' });
  });
});

describe('failing claims', () => {
  test('HT-77, HT-79: are reported and repeated, one at a time, and the worker goes on', async () => {
    const failures = [
      () => broken('ECONNREFUSED'),
      () => refusal(429, 'rate_limited', { retryAfter: 0 }),
      () => refusal(503, 'unavailable'),
      () => refusal(400, 'invalid_request'),
      () => ({ task: { token: 'half a task' } }),
    ];
    const server = new FakeServer();
    server.on(CLAIM, (request, n) => failures[n - 1]?.() ?? server.claim(request));
    const started = startWorker(server, { tools });
    server.offer(task());
    await eventually(() => server.to('/v1/tasks/complete').length === 1);
    expect(started.errors.map(({ during }) => during)).toEqual(Array(5).fill('claim'));
    expect(started.errors.map(({ error }) => (error as { code: string }).code)).toEqual([
      'no_connection',
      'rate_limited',
      'unavailable',
      'invalid_request',
      'invalid_response',
    ]);
    await eventually(() => server.openClaims === 5);
  });

  test('while the server is away, requests do not pile up', async () => {
    const server = new FakeServer().on(CLAIM, () => broken('ECONNREFUSED'));
    const started = startWorker(server, { tools });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(server.to(CLAIM).length).toBeLessThan(12);
    expect(started.errors).toHaveLength(server.to(CLAIM).length);
  });

  test.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
  ])(
    'HT-78: a key refused with %i stops the worker: done rejects, onError hears it once',
    async (status, code) => {
      const server = new FakeServer().on(CLAIM, () => refusal(status, code));
      const { worker, errors } = startWorker(server, { tools });
      await expect(worker.done).rejects.toMatchObject({ status, code });
      expect(errors).toMatchObject([{ during: 'claim', error: { code } }]);
      await worker.stop();
      expect(server.to(CLAIM).length).toBeLessThanOrEqual(5);
    },
  );

  test('HT-78: a refused key lets running handlers finish and answer before done rejects', async () => {
    const server = new FakeServer();
    server.on(CLAIM, (request, n) =>
      n <= 1 ? server.claim(request) : refusal(401, 'unauthenticated'),
    );
    const finish = gate();
    const entered = gate();
    const { worker } = startWorker(server, {
      tools: { 'crm.find': () => (entered.open(), finish.promise) },
    });
    server.offer(task());
    let ended = false;
    worker.done.catch((error) => (ended = AuthenticationError.isInstance(error)));
    await entered.promise;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toBe(false);
    finish.open();
    await eventually(() => ended);
    expect(server.to('/v1/tasks/complete')).toHaveLength(1);
  });

  test('HT-78: nobody has to look at done: a refusal is no unhandled rejection', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const server = new FakeServer().on(CLAIM, () => refusal(401, 'unauthenticated'));
      const { worker, errors } = startWorker(server, { tools });
      await eventually(() => errors.length > 0);
      await worker.stop();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  test('HT-77: onError is console.error by default', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const server = new FakeServer().on(CLAIM, () => refusal(401, 'unauthenticated'));
      const worker = server.client().worker({ tools });
      await worker.done.catch(() => undefined);
      expect(logged).toHaveBeenCalledTimes(1);
      expect(AuthenticationError.isInstance(logged.mock.calls[0]?.[0])).toBe(true);
      expect(logged.mock.calls[0]?.[1]).toEqual({ during: 'claim' });
    } finally {
      logged.mockRestore();
    }
  });

  test('what onError throws, at once or later, changes nothing', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const server = new FakeServer();
      server.on(CLAIM, (request, n) => (n <= 2 ? broken() : server.claim(request)));
      let calls = 0;
      startWorker(server, {
        tools,
        concurrency: 1,
        onError: () => {
          calls += 1;
          if (calls === 1) throw new Error('from onError');
          return Promise.reject(new Error('later')) as unknown as void;
        },
      });
      server.offer(task());
      await eventually(() => server.to('/v1/tasks/complete').length === 1);
      expect(calls).toBe(2);
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });
});

describe('options', () => {
  test.each<[string, unknown]>([
    ['tools', {}],
    ['tools', { tools: {} }],
    ['tools["a"]', { tools: { a: 1 } }],
    ['tools["a"]', { tools: { a: { handler: 'no' } } }],
    ['toolset', { tools, toolset: 'crm' }],
    ['concurrency', { tools, concurrency: 0 }],
    ['concurrency', { tools, concurrency: 1.5 }],
    ['pollWait', { tools, pollWait: '1s' }],
    ['pollWait', { tools, pollWait: '6m' }],
    ['pollWait', { tools, pollWait: 30 }],
  ])('a wrong %s is thrown at once and named (%j)', (field, options) => {
    const server = new FakeServer();
    const make = (): unknown => server.client().worker(options as WorkerOptions);
    expect(make).toThrow(BadRequestError);
    expect(make).toThrow(field);
    expect(server.requests).toHaveLength(0);
  });

  test('the longest pollWait stays below what fetch waits for an answer', async () => {
    const server = new FakeServer();
    startWorker(server, { tools, pollWait: '5m' });
    await eventually(() => server.openClaims > 0);
    expect(server.to(CLAIM)[0]?.body['wait']).toBe('295s');
  });
});
