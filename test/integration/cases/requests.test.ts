import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startRewind, type TestRewind } from '../../support/rewind';

// FC-39: bad requests get an answer of ours, soon, and trouble nobody else.
let rewind: TestRewind;
beforeAll(async () => {
  rewind = await startRewind();
}, 120_000);
afterAll(() => rewind.stop(), 60_000);

const json = { 'content-type': 'application/json' };
const labels = (count: number) =>
  Array.from({ length: count }, (_, n) => `label=k${n}=v`).join('&');

function send(path: string, init: RequestInit = {}, key: string | null = rewind.apiKey) {
  const headers = {
    'rewind-namespace': 'ada',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(init.headers as Record<string, string> | undefined),
  };
  return fetch(`${rewind.url}${path}`, { ...init, headers });
}

const post = (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = json,
): RequestInit => ({
  method: 'POST',
  body,
  headers,
});

test.each<[string, string, () => RequestInit, number, string]>([
  ['half a JSON text', '/v1/runs', () => post('{"script": "return'), 400, 'invalid_request'],
  ['no body', '/v1/runs', () => ({ method: 'POST', headers: json }), 400, 'invalid_request'],
  [
    'text',
    '/v1/runs',
    () => post('hello', { 'content-type': 'text/plain' }),
    415,
    'unsupported_media_type',
  ],
  [
    'UTF-7',
    '/v1/runs',
    () => post('{}', { 'content-type': 'application/json; charset=utf-7' }),
    415,
    'unsupported_media_type',
  ],
  [
    'bytes that are no UTF-8',
    '/v1/runs',
    () => post(new Uint8Array([0x22, 0xff, 0x22])),
    400,
    'invalid_request',
  ],
  [
    'five megabytes',
    '/v1/runs',
    () => post(JSON.stringify({ script: 'x'.repeat(5_000_000) })),
    413,
    'too_large',
  ],
  [
    'five megabytes, zipped',
    '/v1/runs',
    () =>
      post(gzipSync(JSON.stringify({ script: 'x'.repeat(5_000_000) })), {
        ...json,
        'content-encoding': 'gzip',
      }),
    413,
    'too_large',
  ],
  ['a list for an object', '/v1/runs', () => post('[]'), 400, 'invalid_request'],
  [
    'a field that there is not',
    '/v1/runs',
    () => post('{"script":"","toolset":"ts_00000000","x":1}'),
    400,
    'invalid_request',
  ],
  ['25 labels', `/v1/runs?${labels(25)}`, () => ({}), 400, 'invalid_request'],
  ['limit[]=1', '/v1/runs?limit[]=1', () => ({}), 400, 'invalid_request'],
  ['limit twice', '/v1/runs?limit=1&limit=2', () => ({}), 400, 'invalid_request'],
  ['offset=1e99', '/v1/runs/run_00000000/output?offset=1e99', () => ({}), 400, 'invalid_request'],
  ['a path that there is not', '/v1/nothing', () => ({}), 404, 'not_found'],
])('FC-39: %s gets %s answered in the one shape', async (_, path, init, status, code) => {
  const begun = Date.now();
  const response = await send(path, init());
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.parse(text)).toMatchObject({ error: { code, message: expect.any(String) } });
  expect(text).not.toMatch(/\bat .*\(|node_modules|\.ts\b/);
  expect(Date.now() - begun).toBeLessThan(3000);
});

test('FC-39: 20 labels are 20', async () => {
  expect((await send(`/v1/runs?${labels(20)}`)).status).toBe(200);
});

test('FC-39: without a key nothing is inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  const before = process.memoryUsage().rss;
  const response = await send(
    '/v1/runs',
    post(bomb, { ...json, 'content-encoding': 'gzip' }),
    null,
  );
  expect(response.status).toBe(401);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test('FC-39: a request with two lengths is not taken, and the next client is served', async () => {
  const { hostname, port } = new URL(rewind.url);
  const answer = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rewind.apiKey}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
    );
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect((await send('/v1/runs')).status).toBe(200);
});
