import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureRootKey } from '../../../gateway';
import { errorBodySchema, type Right } from '../../../sdk/protocol';
import { everyOperation, ROOT, startGateway, until, type TestGateway } from './support';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Sends the lines of a header as they are, also those that `fetch` would refuse or merge. */
function withAuthorization(values: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/v1/runs`, {
      headers: values.length === 1 ? { authorization: values[0] } : undefined,
    });
    if (values.length > 1) request.setHeader('authorization', values);
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.end();
  });
}

describe('FC-44: a credential that is not exactly one valid key is refused as unauthenticated', () => {
  const bad: [string, string[]][] = [
    ['no header', []],
    ['an empty header', ['']],
    ['no scheme', [ROOT]],
    ['another scheme', [`Basic ${ROOT}`]],
    ['no key', ['Bearer ']],
    ['an unknown key', ['Bearer rk_unknown']],
    ['a short key', ['Bearer r']],
    ['a key of 10 KB', [`Bearer rk_${'a'.repeat(10_240)}`]],
    ['a key with something behind it', [`Bearer ${ROOT} x`]],
    ['non-ASCII of the length of a valid key', [`Bearer ${'é'.repeat(ROOT.length)}`]],
    ['two headers, one of them valid', [`Bearer ${ROOT}`, 'Bearer rk_other']],
    ['the same valid header twice', [`Bearer ${ROOT}`, `Bearer ${ROOT}`]],
  ];
  test.each(bad)('%s', async (_what, values) => {
    const { status, body } = await withAuthorization(values);
    expect(status).toBe(401);
    const { error } = errorBodySchema.parse(JSON.parse(body));
    expect(error.code).toBe('unauthenticated');
    expect(body).not.toContain(ROOT);
  });

  test('an expired key, from the moment that it expires', async () => {
    const key = await gateway.key({ expiresIn: '1s' });
    expect((await gateway.request('GET', '/v1/runs', { key })).status).toBe(200);
    await until('the key expires', async () => {
      const { status } = await gateway.request('GET', '/v1/runs', { key });
      return status === 401;
    });
  });

  test('the valid key is let in, whatever the case of the scheme', async () => {
    expect((await withAuthorization([`bearer ${ROOT}`])).status).toBe(200);
  });
});

test('every operation refuses strangers before it looks at anything else', async () => {
  for (const { method, path } of everyOperation) {
    const reply = await gateway.request(method, `${path}?nonsense=1`, { key: null });
    expect([path, reply.status, reply.json.error.code]).toEqual([path, 401, 'unauthenticated']);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('every operation needs its right, and no other', async () => {
  const all: Right[] = ['run', 'claim', 'answer', 'approve', 'admin'];
  const keys = new Map<string, { only: string; without: string }>();
  for (const right of all) {
    const only = await gateway.key({ rights: [right] });
    const without = await gateway.key({ rights: all.filter((other) => other !== right) });
    keys.set(right, { only, without });
  }
  for (const { name, right, method, path, body } of everyOperation) {
    const { only = '', without = '' } = keys.get(right) ?? {};
    const send = (key: string) => gateway.request(method, path, { key, body, namespace: 'ada' });
    const refused = await send(without);
    expect([name, refused.status, refused.json.error?.code]).toEqual([name, 403, 'forbidden']);
    expect(refused.json.error.message).toContain(`"${right}"`);
    expect([401, 403]).not.toContain((await send(only)).status);
  }
});

test('a key is shown once; the list has everything but the key', async () => {
  const made = await gateway.request('POST', '/v1/keys', {
    body: { name: 'shown once', labels: { team: 'a' } },
  });
  expect(made.status).toBe(201);
  expect(made.json).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
    key: expect.stringMatching(/^rk_[\w-]{43}$/),
  });
  const list = await gateway.request('GET', '/v1/keys?limit=200');
  expect(list.text).not.toContain(made.json.key);
  const row = (list.json.data as { id: string }[]).find(({ id }) => id === made.json.id);
  expect(row).toEqual({
    id: made.json.id,
    name: 'shown once',
    labels: { team: 'a' },
    rights: ['run', 'claim', 'answer', 'approve'],
    createdAt: expect.any(String),
  });
});

test('a revoked key is refused at once, though it was used a moment before', async () => {
  const made = await gateway.request('POST', '/v1/keys', { body: { name: 'doomed' } });
  const { id, key } = made.json as { id: string; key: string };
  expect((await gateway.request('GET', '/v1/runs', { key })).status).toBe(200);
  expect((await gateway.request('DELETE', `/v1/keys/${id}`)).json).toEqual({ ok: true });
  expect((await gateway.request('GET', '/v1/runs', { key })).status).toBe(401);
  expect((await gateway.request('DELETE', '/v1/keys/key_000000000000')).status).toBe(404);
});

test('a revoke that overtakes a look-up of the key is not undone by it', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let reading = false;
  const own = await startGateway({
    store: (store) => ({
      ...store,
      keyByHash: async (hash) => {
        const found = await store.keyByHash(hash);
        if (found?.name === 'raced') {
          reading = true;
          await held;
        }
        return found;
      },
    }),
  });
  const made = await own.request('POST', '/v1/keys', { body: { name: 'raced' } });
  const { id, key } = made.json as { id: string; key: string };
  const first = own.request('GET', '/v1/runs', { key });
  await until('the key is read', () => reading);
  await own.request('DELETE', `/v1/keys/${id}`);
  release();
  await first;
  expect((await own.request('GET', '/v1/runs', { key })).status).toBe(401);
  await own.close();
});

test('the last use of a key is noted, at most once a minute', async () => {
  const noted: string[] = [];
  const own = await startGateway({
    store: (store) => ({
      ...store,
      touchKey: (id, at) => {
        noted.push(id);
        return store.touchKey(id, at);
      },
    }),
  });
  const key = await own.key({ name: 'used' });
  for (let i = 0; i < 5; i++) await own.request('GET', '/v1/runs', { key });
  const list = await own.request('GET', '/v1/keys');
  const row = (list.json.data as { id: string; name: string; lastUsedAt?: string }[]).find(
    ({ name }) => name === 'used',
  );
  expect(Date.parse(row?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
  expect(noted.filter((id) => id === row?.id)).toHaveLength(1);
  await own.close();
});

test('keys are managed only without a limit, and a limited key never gets the right to', async () => {
  const both = await gateway.request('POST', '/v1/keys', {
    body: { name: 'x', labels: { team: 'a' }, rights: ['admin'] },
  });
  expect([both.status, both.json.error.field]).toEqual([400, 'rights']);
  const control = await gateway.request('POST', '/v1/keys', { body: { name: 'a\u0000b' } });
  expect([control.status, control.json.error.field]).toEqual([400, 'name']);
});

test('the root key of the settings is replaced by another, and comes back when it was revoked', async () => {
  const own = await startGateway();
  const status = async (key: string) => (await own.request('GET', '/v1/keys', { key })).status;
  expect(await status(ROOT)).toBe(200);
  await own.request('DELETE', '/v1/keys/key_00000000root');
  expect(await status(ROOT)).toBe(401);
  await ensureRootKey(own.store, ROOT);
  expect(await status(ROOT)).toBe(200);
  await ensureRootKey(own.store, 'another root key');
  expect(await own.store.listKeys({ limit: 10 })).toMatchObject({ rows: [{ name: /root/ }] });
  await own.close();
});
