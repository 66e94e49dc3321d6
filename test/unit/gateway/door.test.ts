import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { limits } from '../../../sdk/protocol';
import { startGateway, type TestGateway } from './support';

let gateway: TestGateway;
let toolset: string;
beforeAll(async () => {
  gateway = await startGateway();
  const made = await gateway.request('POST', '/v1/toolsets', {
    body: { tools: { add: { description: 'adds', input: { type: 'object' } } } },
  });
  toolset = made.json.id as string;
});
afterAll(() => gateway.close());

const start = (
  more: Record<string, unknown>,
  options: { namespace?: string; key?: string } = { namespace: 'ada' },
) =>
  gateway.request('POST', '/v1/runs', {
    body: { script: 'return 1', toolset, ...more },
    ...options,
  });

describe('FC-39: queries are read strictly', () => {
  const labels = (count: number) =>
    Array.from({ length: count }, (_, n) => `label=k${n}%3Dv`).join('&');
  test.each([
    ['bracketed names', 'limit[]=1'],
    ['nested names', 'label[a]=b'],
    ['a number beyond all numbers', 'offset=1e99'],
    ['a repeated field', 'limit=1&limit=2'],
    ['a limit over the most', 'limit=201'],
    ['a limit of nothing', 'limit=0'],
    ['an unknown field', 'nonsense=1'],
    ['25 labels, counted as 25', labels(25)],
    ['a label without a value', 'label=a'],
    ['a state that is none', 'state=asleep'],
  ])('%s: %s', async (_what, query) => {
    const reply = await gateway.request('GET', `/v1/runs?${query}`);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(reply.json.error).toMatchObject({
      message: expect.any(String),
      requestId: expect.any(String),
    });
    expect(reply.text).not.toMatch(/\bat \w+ \(|\.ts:/);
  });

  test('20 labels are taken', async () => {
    expect((await gateway.request('GET', `/v1/runs?${labels(20)}`)).status).toBe(200);
  });
});

describe('limits are enforced where the data enters, and named', () => {
  test.each([
    ['a script', { script: `"${'é'.repeat(limits.scriptBytes / 2)}"` }, limits.scriptBytes],
    ['an input', { input: 'é'.repeat(limits.inputBytes / 2) }, limits.inputBytes],
  ])('%s over its limit, in bytes of UTF-8', async (_what, more, limit) => {
    const reply = await start(more);
    expect([reply.status, reply.json.error.code, reply.json.error.limit]).toEqual([
      413,
      'too_large',
      limit,
    ]);
    expect(reply.json.error.message).toContain(String(limit));
  });

  test('a signal over its limit', async () => {
    const reply = await gateway.request('POST', '/v1/runs/run_0123456789/signals', {
      body: { name: 'go', payload: 'é'.repeat(limits.signalBytes / 2) },
    });
    expect([reply.status, reply.json.error.limit]).toEqual([413, limits.signalBytes]);
  });

  test('a task result over its limit', async () => {
    const reply = await gateway.request('POST', '/v1/tasks/complete', {
      body: { token: 'x', result: 'é'.repeat(limits.resultBytes / 2) },
    });
    expect([reply.status, reply.json.error.limit]).toEqual([413, limits.resultBytes]);
  });

  test.each([
    [
      'labels',
      { labels: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v'])) },
      'labels',
    ],
    ['a long label', { labels: { k: 'v'.repeat(257) } }, 'labels.k'],
    ['a duration without a unit', { ttl: '3000' }, 'ttl'],
    ['a number for a duration', { ttl: 3000 }, 'ttl'],
    ['a duration in words', { ttl: '3 days' }, 'ttl'],
    ['a time to live over a year', { ttl: '366d' }, 'ttl'],
    ['an unknown field', { scrpt: 'x' }, 'scrpt'],
    ['no script', { script: undefined }, 'script'],
  ])('%s: the field is named', async (_what, more, field) => {
    const reply = await start(more);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(`${reply.json.error.field} ${reply.json.error.message}`).toContain(field);
  });
});

test('a run needs an end user; a name may be of any script', async () => {
  const none = await start({}, {});
  expect([none.status, none.json.error.code]).toEqual([400, 'namespace_required']);
  const named = await start({}, { namespace: 'Zoë 👩‍🚀' });
  expect([named.status, named.json.namespace]).toEqual([201, 'Zoë 👩‍🚀']);
});

test('a key limited to labels puts them on its runs, and may not contradict them', async () => {
  const key = await gateway.key({ labels: { team: 'a' } });
  const added = await start({ labels: { own: 'x' } }, { namespace: 'ada', key });
  expect(added.json.labels).toEqual({ team: 'a', own: 'x' });
  const contrary = await start({ labels: { team: 'b' } }, { namespace: 'ada', key });
  expect(contrary.status).toBeGreaterThanOrEqual(400);
  expect(contrary.status).toBeLessThan(500);
});

test('missing things read alike, whatever is asked of them', async () => {
  const replies = await Promise.all([
    gateway.request('GET', '/v1/runs/run_00000000000'),
    gateway.request('GET', '/v1/runs/run_00000000000', { namespace: 'bob' }),
  ]);
  const [first, second] = replies.map(({ status, json }) => ({
    status,
    error: { ...json.error, requestId: '' },
  }));
  expect(first).toEqual(second);
  expect(first).toMatchObject({ status: 404, error: { code: 'not_found' } });
});

test('unknown addresses and methods are answered as JSON', async () => {
  expect((await gateway.request('GET', '/v1/nothing')).json.error.code).toBe('not_found');
  expect((await gateway.request('DELETE', '/v1/runs')).json.error.code).toBe('method_not_allowed');
});

test('approvals are refused until a person can be asked', async () => {
  const reply = await gateway.request('POST', '/v1/toolsets', {
    body: { tools: { pay: { description: 'pays', input: { type: 'object' }, approval: true } } },
  });
  expect([reply.status, reply.json.error.field]).toEqual([400, expect.stringContaining('pay')]);
});

test('the same content gives the same toolset, in any order', async () => {
  const spec = { description: 'adds', input: { type: 'object', required: ['a'] } };
  const ids = await Promise.all(
    [
      { one: spec, two: spec },
      { two: { input: spec.input, description: 'adds' }, one: spec },
    ].map(
      async (tools) =>
        (await gateway.request('POST', '/v1/toolsets', { body: { tools } })).json.id as string,
    ),
  );
  expect(ids[0]).toMatch(/^ts_[0-9a-z]{26}$/);
  expect(ids[1]).toBe(ids[0]);
});
