import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inspect } from 'node:util';
import {
  BadRequestError,
  ConnectionError,
  RateLimitError,
  RewindError,
  ServerError,
} from '@rewind.codes/sdk';
import { broken, FakeServer, hang, refusal, type Script } from './support/fake-server';

const PATH = '/v1/runs/run_12345678';
const RUNS = '/v1/runs';
const script = 'return 1;';
const toolset = 'ts_12345678';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** The outcome of a request, with all its waits passed. */
async function settle<T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> {
  const outcome = promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await jest.advanceTimersByTimeAsync(300_000);
  return outcome;
}

const answering = (path: string, answer: Script): FakeServer => new FakeServer().on(path, answer);

describe('retries', () => {
  test.each([
    ['no connection', () => broken('ECONNREFUSED')],
    ['408', () => refusal(408, 'request_timeout')],
    ['429 rate_limited', () => refusal(429, 'rate_limited', { retryAfter: 1 })],
    ['500', () => refusal(500, 'internal')],
    ['503', () => refusal(503, 'unavailable')],
    ['502 with the page of a proxy', () => new Response('<html>', { status: 502 })],
  ])('%s is tried again twice, then given up', async (_, failure) => {
    const server = answering(PATH, (_request, n) => (n < 3 ? failure() : { id: 'run_12345678' }));
    expect(await settle(server.client().runs.retrieve('run_12345678'))).toEqual({
      value: { id: 'run_12345678' },
    });

    const down = answering(PATH, failure);
    const { error } = await settle(down.client().runs.retrieve('run_12345678'));
    expect(RewindError.isInstance(error)).toBe(true);
    expect(down.requests).toHaveLength(3);
  });

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'idempotency_conflict'],
    [413, 'too_large'],
    [422, 'script_refused'],
    [429, 'quota_reached'],
  ])('%i %s is not tried again', async (status, code) => {
    const server = answering(PATH, () => refusal(status, code));
    const { error } = await settle(server.client().runs.retrieve('run_12345678'));
    expect(error).toMatchObject({ status, code });
    expect(server.requests).toHaveLength(1);
  });

  test('Retry-After says how long to wait; longer than a minute ends with the error', async () => {
    const server = answering(PATH, (_request, n) =>
      n === 1 ? refusal(429, 'rate_limited', {}, { 'retry-after': '20' }) : { id: 'x' },
    );
    const answer = server.client().runs.retrieve('run_12345678');
    await jest.advanceTimersByTimeAsync(19_900);
    expect(server.requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(200);
    await expect(answer).resolves.toEqual({ id: 'x' });

    const long = answering(PATH, () => refusal(429, 'rate_limited', { retryAfter: 3600 }));
    const { error } = await settle(long.client().runs.retrieve('run_12345678'));
    expect(RateLimitError.isInstance(error) && error.retryAfter).toBe(3600);
    expect(long.requests).toHaveLength(1);
  });

  test('maxRetries of the client and of one request', async () => {
    const server = answering(RUNS, () => broken());
    await settle(server.client({ maxRetries: 0 }).runs.create({ script, toolset }));
    expect(server.requests).toHaveLength(1);
    await settle(server.client().runs.create({ script, toolset }, { maxRetries: 4 }));
    expect(server.requests).toHaveLength(6);
  });

  test('create and signal carry one idempotency key over all tries; a new one for each call', async () => {
    const server = new FakeServer()
      .on(RUNS, (_request, n) => (n % 3 === 0 ? { id: 'x' } : broken()))
      .on(`${PATH}/signals`, (_request, n) => (n % 3 === 0 ? { ok: true } : broken()));
    const rewind = server.client().namespace('ada');
    await settle(rewind.runs.create({ script, toolset }));
    await settle(rewind.runs.create({ script, toolset }));
    await settle(rewind.runs.signal('run_12345678', 'go', 1));
    const keys = server.requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(9);
    expect(keys.every((key) => key !== null && key.length >= 16)).toBe(true);
    expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 3]);
  });

  test('an idempotency key that is given is sent, and one that no header holds is refused', async () => {
    const server = new FakeServer();
    await server.client().runs.create({ script, toolset }, { idempotencyKey: 'order-7' });
    expect(server.requests[0]?.headers.get('idempotency-key')).toBe('order-7');
    await expect(
      server.client().runs.create({ script, toolset }, { idempotencyKey: 'ø' }),
    ).rejects.toThrow(/idempotencyKey/);
  });

  test('keys.create is not repeated: a repeat could make a second key', async () => {
    const server = answering('/v1/keys', () => broken());
    await settle(server.client().keys.create({ name: 'ci' }));
    expect(server.requests).toHaveLength(1);
  });
});

describe('time', () => {
  test('a request without an answer ends after the timeout, a long poll after its wait too', async () => {
    const server = answering(PATH, hang);
    const rewind = server.client({ maxRetries: 0, timeout: '10s' });
    let error: unknown;
    rewind.runs
      .retrieve('run_12345678', { wait: '60s' })
      .catch((reason: unknown) => (error = reason));
    await jest.advanceTimersByTimeAsync(69_900);
    expect(error).toBeUndefined();
    await jest.advanceTimersByTimeAsync(200);
    expect(ConnectionError.isInstance(error) && error.code).toBe('timeout');
  });

  test('a timeout beyond 2^31 ms does not end a request at once', async () => {
    const server = answering(PATH, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { id: 'x' };
    });
    const { value } = await settle(server.client({ timeout: '60d' }).runs.retrieve('run_12345678'));
    expect(value).toEqual({ id: 'x' });
  });

  test('an aborted signal ends a request, and a pause between tries, with its reason', async () => {
    const reason = new Error('the user went away');
    const hanging = answering(PATH, hang);
    const first = new AbortController();
    const request = hanging.client().runs.retrieve('run_12345678', {}, { signal: first.signal });
    first.abort(reason);
    expect(await settle(request)).toEqual({ error: reason });

    const down = answering(PATH, () => broken());
    const second = new AbortController();
    const retrying = down.client().runs.retrieve('run_12345678', {}, { signal: second.signal });
    await jest.advanceTimersByTimeAsync(0);
    second.abort(reason);
    expect(await settle(retrying)).toEqual({ error: reason });
    expect(down.requests).toHaveLength(1);

    const never = new FakeServer();
    const aborted = never.client().runs.retrieve('run_12345678', {}, { signal: second.signal });
    expect(await settle(aborted)).toEqual({ error: reason });
    expect(never.requests).toHaveLength(0);
  });
});

describe('answers', () => {
  test('an answer that breaks off in its body is a ConnectionError', async () => {
    const cut = (): Response =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"id":'));
            controller.error(new TypeError('terminated'));
          },
        }),
      );
    const { error } = await settle(answering(PATH, cut).client().runs.retrieve('run_12345678'));
    expect(ConnectionError.isInstance(error)).toBe(true);
  });

  test('a redirect is not followed, and says to check baseURL', async () => {
    const seen: (string | undefined)[] = [];
    const server = answering(
      PATH,
      () => new Response(null, { status: 308, headers: { location: 'https://elsewhere.test' } }),
    );
    const rewind = server.client({
      fetch: (input, init) => {
        seen.push(init?.redirect);
        return server.fetch(input, init);
      },
    });
    const { error } = await settle(rewind.runs.retrieve('run_12345678'));
    expect(error).toMatchObject({ code: 'redirected', status: 308 });
    expect((error as Error).message).toMatch(/baseURL/);
    expect(seen).toEqual(['manual']);
  });

  test.each(['<html>', '', '"text"', 'null'])(
    '200 with %j is a ServerError, tried once',
    async (body) => {
      const server = answering(PATH, () => new Response(body));
      const { error } = await settle(server.client().runs.retrieve('run_12345678'));
      expect(error).toMatchObject({ code: 'invalid_response', status: 200 });
      expect(ServerError.isInstance(error)).toBe(true);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('what is sent', () => {
  test.each(['.', '..', ''])('the id %j never becomes another path', async (id) => {
    const server = new FakeServer();
    await expect(server.client().runs.cancel(id)).rejects.toThrow(/id/);
    expect(server.requests).toHaveLength(0);
  });

  test('an id is one part of the path, whatever it holds', async () => {
    const server = new FakeServer();
    await server.client().runs.cancel('../keys?x=1#y');
    expect(server.requests[0]?.path).toBe('/v1/runs/..%2Fkeys%3Fx%3D1%23y/cancel');
  });

  test('a value that JSON cannot hold is refused with its path, before any request', async () => {
    const server = new FakeServer();
    const { error } = await settle(
      server.client().runs.create({ script, toolset, input: { items: [1, new Map()] } }),
    );
    expect(BadRequestError.isInstance(error) && error.field).toBe('input');
    expect((error as Error).message).toMatch(/input\.items\[1\] is a Map/);
    expect(server.requests).toHaveLength(0);
  });

  test('default headers are added and do not replace our own', async () => {
    const server = new FakeServer();
    const defaultHeaders = { 'X-Tenant': 'blue', Authorization: 'Basic abc' };
    await server.client({ defaultHeaders }).runs.retrieve('run_12345678');
    const headers = server.requests[0]?.headers;
    expect(headers?.get('x-tenant')).toBe('blue');
    expect(headers?.get('authorization')).toBe('Bearer rw_secret');
  });

  test('the key is in no URL, no printed client, no worker and no error', async () => {
    const urls: string[] = [];
    const server = new FakeServer()
      .on(PATH, () => broken())
      .on(RUNS, () => refusal(400, 'invalid_request'));
    const rewind = server.client({
      defaultHeaders: { 'x-other': 'rw_secret' },
      fetch: (input, init) => {
        urls.push(input as string);
        return server.fetch(input, init);
      },
    });
    const user = rewind.namespace('ada');
    const worker = user.worker({ tools: { a: () => 1 }, onError: () => undefined });
    const first = await settle(user.runs.retrieve('run_12345678'));
    const second = await settle(user.runs.create({ script, toolset }));
    await settle(worker.stop());
    const printed = inspect([rewind, user, worker, first, second], {
      depth: 20,
      showHidden: true,
      getters: true,
    });
    expect(printed).toMatch(/ECONNRESET/);
    expect(printed + urls.join() + JSON.stringify([rewind, user, first, second])).not.toMatch(
      /rw_secret/,
    );
  });
});
