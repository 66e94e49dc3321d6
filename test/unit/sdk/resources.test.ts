import { describe, expect, test } from '@jest/globals';
import { BadRequestError, TooLargeError, type Run } from '@rewind.codes/sdk';
import { FakeServer, hang } from './support/fake-server';

const RUN = 'run_12345678';
const run = (id: string, state: Run['state'] = 'running'): Record<string, unknown> => ({
  id,
  state,
});

describe('runs', () => {
  test('list gives a page, and for await goes over all pages that follow', async () => {
    const server = new FakeServer().on('/v1/runs', ({ query }) => {
      const cursor = query.get('cursor');
      if (cursor === null) return { data: [run('a'), run('b')], nextCursor: 'c1' };
      return cursor === 'c1' ? { data: [run('c')], nextCursor: 'c2' } : { data: [run('d')] };
    });
    const page = await server
      .client()
      .runs.list({ limit: 2, state: 'waiting', labels: { a: '1', b: 'x=y' } });
    expect(page.data.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(page.nextCursor).toBe('c1');
    expect(Object.keys(page)).toEqual(['data', 'nextCursor']);
    const ids: string[] = [];
    for await (const { id } of page) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
    for (const { query } of server.requests) {
      expect(query.getAll('label')).toEqual(['a=1', 'b=x=y']);
      expect([query.get('limit'), query.get('state')]).toEqual(['2', 'waiting']);
    }
    expect(server.requests).toHaveLength(3);
  });

  test('a loop that ends early fetches no further pages', async () => {
    const server = new FakeServer().on('/v1/runs', () => ({ data: [run('a')], nextCursor: 'c' }));
    for await (const { id } of await server.client().runs.list()) {
      expect(id).toBe('a');
      break;
    }
    expect(server.requests).toHaveLength(1);
  });

  test('a label key with "=" cannot filter, and says so', async () => {
    await expect(new FakeServer().client().runs.list({ labels: { 'a=b': 'c' } })).rejects.toThrow(
      BadRequestError,
    );
  });

  test('wait asks by long poll until the run has ended', async () => {
    const states: Run['state'][] = ['running', 'waiting', 'running', 'failed'];
    const server = new FakeServer().on(`/v1/runs/${RUN}`, (_request, n) => run(RUN, states[n - 1]));
    expect(await server.client().runs.wait(RUN)).toEqual({ id: RUN, state: 'failed' });
    expect(server.requests.map(({ query }) => query.get('wait'))).toEqual(Array(4).fill('60s'));
  });

  test('wait does not become a tight loop where answers come at once', async () => {
    const server = new FakeServer().on(`/v1/runs/${RUN}`, () => run(RUN));
    const controller = new AbortController();
    const waiting = server.client().runs.wait(RUN, { signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    await expect(waiting).rejects.toThrow(/abort/i);
    expect(server.requests.length).toBeLessThan(20);
  });

  test('wait ends with the reason of an aborted signal', async () => {
    const server = new FakeServer().on(`/v1/runs/${RUN}`, hang);
    const reason = new Error('enough');
    const waiting = server.client().runs.wait(RUN, { signal: AbortSignal.abort(reason) });
    await expect(waiting).rejects.toBe(reason);
  });

  test('create sends what is given and nothing else', async () => {
    const server = new FakeServer();
    const { runs } = server.client().namespace('ada');
    await runs.create({ script: 'return 1', toolset: 'ts_12345678' });
    await runs.create({
      script: 'return 1',
      toolset: 'ts_12345678',
      input: null,
      labels: { a: 'b' },
      ttl: '3d',
    });
    expect(server.requests.map(({ body }) => body)).toEqual([
      { script: 'return 1', toolset: 'ts_12345678' },
      {
        script: 'return 1',
        toolset: 'ts_12345678',
        input: null,
        labels: { a: 'b' },
        ttl: '3d',
      },
    ]);
  });

  test('output, log, trace, signal and cancel ask what the wire contract says', async () => {
    const server = new FakeServer();
    const { runs } = server.client();
    await runs.output(RUN, { offset: 10, limit: 20 });
    await runs.log(RUN);
    await runs.trace(RUN, { limit: 5 });
    await runs.signal(RUN, 'go', { yes: true });
    await runs.signal(RUN, 'go');
    await runs.cancel(RUN, { reason: 'wrong customer' });
    expect(
      server.requests.map(({ method, path, query, body }) => [
        `${method} ${path}${query.size > 0 ? `?${query.toString()}` : ''}`,
        body,
      ]),
    ).toEqual([
      [`GET /v1/runs/${RUN}/output?offset=10&limit=20`, {}],
      [`GET /v1/runs/${RUN}/log`, {}],
      [`GET /v1/runs/${RUN}/trace?limit=5`, {}],
      [`POST /v1/runs/${RUN}/signals`, { name: 'go', payload: { yes: true } }],
      [`POST /v1/runs/${RUN}/signals`, { name: 'go' }],
      [`POST /v1/runs/${RUN}/cancel`, { reason: 'wrong customer' }],
    ]);
  });
});

describe('tasks', () => {
  test('HT-65, HT-66: complete and fail send the token in the body', async () => {
    const server = new FakeServer();
    const { tasks } = server.client();
    await tasks.complete('secret-token', { answer: 'yes' });
    await tasks.complete('secret-token');
    await tasks.fail('secret-token', { message: 'the user is away', data: { code: 1 } });
    await tasks.fail('secret-token', { message: 'the user is away' });
    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/tasks/complete', { token: 'secret-token', result: { answer: 'yes' } }],
      ['/v1/tasks/complete', { token: 'secret-token', result: null }],
      [
        '/v1/tasks/fail',
        { token: 'secret-token', error: { message: 'the user is away', data: { code: 1 } } },
      ],
      ['/v1/tasks/fail', { token: 'secret-token', error: { message: 'the user is away' } }],
    ]);
  });

  test('FC-07: an answer that JSON cannot hold, or over 1 MiB, is refused before it is sent', async () => {
    const server = new FakeServer();
    const { tasks } = server.client();
    await expect(tasks.complete('t', { n: 1n })).rejects.toThrow(/result\.n is a BigInt/);
    await expect(tasks.complete('t', 'x'.repeat(2 ** 20))).rejects.toThrow(TooLargeError);
    await expect(tasks.fail('t', { message: 'm', data: new Set() })).rejects.toThrow(
      /data is a Set/,
    );
    expect(server.requests).toHaveLength(0);
  });
});

describe('scripts and keys', () => {
  test('check, keys.create, keys.list and keys.revoke', async () => {
    const server = new FakeServer().on('/v1/keys', ({ method }) =>
      method === 'POST' ? { id: 'key_1', key: 'rw_new' } : { data: [] },
    );
    const { scripts, keys } = server.client();
    await scripts.check({ script: 'x', toolset: 'ts_12345678' });
    expect(await keys.create({ name: 'ci', rights: ['run'], expiresIn: '1d' })).toEqual({
      id: 'key_1',
      key: 'rw_new',
    });
    await keys.list({ limit: 3 });
    await keys.revoke('key_12345678');
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/scripts/check', { script: 'x', toolset: 'ts_12345678' }],
      ['POST', '/v1/keys', { name: 'ci', rights: ['run'], expiresIn: '1d' }],
      ['GET', '/v1/keys', {}],
      ['DELETE', '/v1/keys/key_12345678', {}],
    ]);
  });
});

const lines = (server: FakeServer): unknown[][] =>
  server.requests.map(({ method, path, query, body }) => [
    `${method} ${path}${query.size > 0 ? `?${query.toString()}` : ''}`,
    body,
  ]);

describe('approvals', () => {
  test('pending gives all calls of one run that wait, over all pages; none without a run', async () => {
    const server = new FakeServer().on('/v1/approvals', ({ query }) =>
      query.get('cursor') === null
        ? { data: [{ id: 'apr_1' }], nextCursor: 'c1' }
        : { data: [{ id: 'apr_2' }] },
    );
    const { approvals } = server.client();
    expect((await approvals.pending(RUN)).map(({ id }) => id)).toEqual(['apr_1', 'apr_2']);
    expect(server.requests.map(({ query }) => query.get('run'))).toEqual([RUN, RUN]);
    expect(await approvals.pending(undefined)).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test('list, approve and deny ask what the wire contract says', async () => {
    const server = new FakeServer().on('/v1/approvals', () => ({ data: [] }));
    const { approvals } = server.client();
    await approvals.list({ limit: 5, labels: { a: 'b' } });
    await approvals.approve('apr_12345678_1', { by: 'ada', note: 'fine' });
    await approvals.deny('apr_12345678_1', { by: 'ada', reason: 'too much' });
    expect(lines(server)).toEqual([
      ['GET /v1/approvals?limit=5&label=a%3Db', {}],
      ['POST /v1/approvals/apr_12345678_1/approve', { by: 'ada', note: 'fine' }],
      ['POST /v1/approvals/apr_12345678_1/deny', { by: 'ada', reason: 'too much' }],
    ]);
  });
});

describe('workflows, tests and retries', () => {
  test('save, retrieve, list, delete and derive ask what the wire contract says', async () => {
    const server = new FakeServer().on('/v1/workflows', ({ method }) =>
      method === 'POST' ? { name: 'report', version: 1 } : { data: [] },
    );
    const { workflows, toolsets } = server.client();
    const saved = { name: 'report', description: 'A report.', script: 'return 1', toolset: 'ts_1' };
    await workflows.save(saved);
    await workflows.save({ ...saved, input: { type: 'object' }, output: { type: 'string' } });
    await workflows.retrieve('report');
    await workflows.retrieve('report', { version: 2 });
    await workflows.list({ query: 'week', toolset: 'ts_1' });
    await workflows.delete('report');
    await toolsets.derive('ts_1', { workflows: [{ name: 'report', version: 2 }] });
    expect(lines(server)).toEqual([
      ['POST /v1/workflows', saved],
      ['POST /v1/workflows', { ...saved, input: { type: 'object' }, output: { type: 'string' } }],
      ['GET /v1/workflows/report', {}],
      ['GET /v1/workflows/report?version=2', {}],
      ['GET /v1/workflows?toolset=ts_1&query=week', {}],
      ['DELETE /v1/workflows/report', {}],
      ['POST /v1/toolsets/ts_1/derive', { workflows: [{ name: 'report', version: 2 }] }],
    ]);
  });

  test('test, retry and script ask what the wire contract says', async () => {
    const server = new FakeServer();
    const { scripts, runs } = server.client();
    const mocks = [{ tool: 'a', result: 1 }];
    await scripts.test({
      script: 'x',
      toolset: 'ts_1',
      input: 1,
      mocks,
      signals: [{ name: 'go' }],
    });
    await runs.retry(RUN);
    await runs.retry(RUN, { script: 'y', repeatUnknown: true }, { idempotencyKey: 'k' });
    await runs.script(RUN, { offset: 3 });
    expect(lines(server)).toEqual([
      [
        'POST /v1/scripts/test',
        { script: 'x', toolset: 'ts_1', input: 1, mocks, signals: [{ name: 'go' }] },
      ],
      [`POST /v1/runs/${RUN}/retry`, {}],
      [`POST /v1/runs/${RUN}/retry`, { script: 'y', repeatUnknown: true }],
      [`GET /v1/runs/${RUN}/script?offset=3`, {}],
    ]);
    const keys = server.requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([null, expect.any(String), 'k', null]);
  });
});
