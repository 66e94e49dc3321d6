import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { gzipSync, createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorBodySchema, limits } from '../../../sdk/protocol';
import { ROOT, startGateway, until, type TestGateway } from './support';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    bodyTimeoutMs: 1_500,
    timeouts: { headersMs: 1_500, requestMs: 4_000 },
  });
});
afterAll(() => gateway.close());

const MiB = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const toolset = JSON.stringify({ tools: { add: { description: '', input: { type: 'object' } } } });
const post = (
  raw: string | Uint8Array,
  headers: Record<string, string>,
  key: string | null = ROOT,
) => gateway.request('POST', '/v1/toolsets', { raw, headers, key });

/** A request whose body is sent piece by piece; gives the answer and when the connection closed. */
function stream(headers: Record<string, string>, pieces: () => Uint8Array | undefined) {
  let closed = false;
  let sent = 0;
  const answer = new Promise<{ status: number; body: string; ms: number }>((resolve, reject) => {
    const begin = Date.now();
    const request = httpRequest(`${gateway.url}/v1/toolsets`, { method: 'POST', headers });
    request.on('socket', (socket) => socket.on('close', () => (closed = true)));
    request.on('error', (error) => (closed ? undefined : reject(error)));
    request.on('response', (response: IncomingMessage) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, ms: Date.now() - begin }),
      );
    });
    const more = () => {
      for (;;) {
        const piece = closed ? undefined : pieces();
        if (piece === undefined) return void (closed || request.end());
        sent += piece.byteLength;
        if (!request.write(piece)) return void request.once('drain', more);
      }
    };
    more();
  });
  return { answer, isClosed: () => closed, sent: () => sent };
}

/** Bytes over a plain socket; gives what came back until it was closed. */
function talk(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

function errorOf(body: string) {
  expect(body).not.toMatch(/\bat .*:\d+:\d+|node_modules|\.ts\b/);
  return errorBodySchema.parse(JSON.parse(body)).error;
}

describe('FC-39: bad bodies are refused as JSON with a stable code', () => {
  const cases: [string, string | Uint8Array, Record<string, string>, number, string][] = [
    ['half JSON', '{"tools":', json, 400, 'invalid_request'],
    ['empty', '', json, 400, 'invalid_request'],
    ['empty, of type text/plain', '', {}, 415, 'unsupported_media_type'],
    ['a list', '[]', json, 400, 'invalid_request'],
    ['null', 'null', json, 400, 'invalid_request'],
    ['text/plain', toolset, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['no type', new TextEncoder().encode(toolset), {}, 415, 'unsupported_media_type'],
    [
      'form',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    [
      'utf-7',
      toolset,
      { 'content-type': 'application/json; charset=utf-7' },
      415,
      'unsupported_media_type',
    ],
    [
      'latin1',
      toolset,
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'unsupported_media_type',
    ],
    ['br', toolset, { ...json, 'content-encoding': 'br' }, 415, 'unsupported_media_type'],
    [
      'gzip twice',
      toolset,
      { ...json, 'content-encoding': 'gzip, gzip' },
      415,
      'unsupported_media_type',
    ],
    ['no gzip at all', toolset, { ...json, 'content-encoding': 'gzip' }, 400, 'invalid_request'],
    [
      'gzip, cut',
      gzipSync(toolset).subarray(0, 30),
      { ...json, 'content-encoding': 'gzip' },
      400,
      'invalid_request',
    ],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), json, 400, 'invalid_request'],
    [
      'nested too deeply',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      json,
      400,
      'invalid_request',
    ],
    ['over 4 MiB', `"${'a'.repeat(limits.bodyBytes)}"`, json, 413, 'too_large'],
    [
      'gzip of 1 GB',
      gzipSync(Buffer.alloc(8 * MiB)),
      { ...json, 'content-encoding': 'gzip' },
      413,
      'too_large',
    ],
  ];
  test.each(cases)('%s', async (_what, raw, headers, status, code) => {
    const reply = await post(raw, headers);
    const error = errorOf(reply.text);
    expect([reply.status, error.code]).toEqual([status, code]);
    expect(error.requestId).toBe(reply.headers.get('x-request-id'));
    if (status === 413) expect(error.limit).toBe(limits.bodyBytes);
  });

  test('what is valid is taken: with charset, compressed, up to the limit, with brackets in texts', async () => {
    for (const type of ['application/json;charset=utf-8', 'Application/JSON; charset="UTF-8"']) {
      expect((await post(toolset, { 'content-type': type })).status).toBe(201);
    }
    const zipped = await post(gzipSync(toolset), { ...json, 'content-encoding': 'gzip' });
    expect(zipped.status).toBe(201);
    const padded = toolset + ' '.repeat(limits.bodyBytes - toolset.length);
    expect((await post(padded, json)).status).toBe(201);
    const brackets = toolset.replace('""', JSON.stringify('[{"\\'.repeat(1000)));
    expect((await post(brackets, json)).status).toBe(201);
  });

  test('Content-Length with Transfer-Encoding is refused as JSON', async () => {
    const got = await talk(
      `POST /v1/toolsets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(got).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(errorOf(got.slice(got.indexOf('\r\n\r\n'))).code).toBe('invalid_request');
  });

  test('what is no HTTP, or has headers without end, is refused as JSON', async () => {
    for (const text of [
      '\u0016\u0003\u0001 hello\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const got = await talk(text);
      expect(got).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(errorOf(got.slice(got.indexOf('\r\n\r\n'))).code).toBe('invalid_request');
    }
  });

  test('headers that never end close the connection', async () => {
    const got = await talk('POST /v1/toolsets HTTP/1.1\r\nHost: x\r\n');
    expect(got).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(errorOf(got.slice(got.indexOf('\r\n\r\n'))).code).toBe('request_timeout');
  });
});

describe('FC-39: large and slow bodies', () => {
  const key = { authorization: `Bearer ${ROOT}` };
  const endless = () => Buffer.alloc(64 * 1024, 0x20);

  test.each([
    ['with its length', { 'content-length': String(200 * MiB) }],
    ['in chunks', {}],
  ])('200 MB %s are refused while they are still on their way', async (_what, length) => {
    let left = 200 * MiB;
    const upload = stream({ ...key, ...json, ...length }, () =>
      (left -= 65_536) < 0 ? undefined : endless(),
    );
    const { status, body, ms } = await upload.answer;
    expect([status, errorOf(body).code]).toEqual([413, 'too_large']);
    expect(ms).toBeLessThan(5_000);
  });

  test('an endless body is cut off after its answer, and others are served meanwhile', async () => {
    const upload = stream({ ...key, ...json }, endless);
    expect((await upload.answer).status).toBe(413);
    expect((await gateway.request('GET', '/v1/runs')).status).toBe(200);
    await until('the connection is closed', upload.isClosed);
  });

  test('a keyless gzip bomb is refused without being inflated', async () => {
    const bomb = await bombOf(1024 * MiB);
    const before = process.memoryUsage().rss;
    const cpu = process.cpuUsage();
    const reply = await post(bomb, { ...json, 'content-encoding': 'gzip' }, null);
    expect([reply.status, reply.json.error.code]).toEqual([401, 'unauthenticated']);
    // Inflating a gigabyte takes a second of CPU and more.
    expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(800);
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * MiB);
    const keyed = await post(bomb, { ...json, 'content-encoding': 'gzip' });
    expect([keyed.status, keyed.json.error.code]).toEqual([413, 'too_large']);
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MiB);
  });

  test.each([
    ['with a key', key, 408, 'request_timeout'],
    ['without a key', {}, 401, 'unauthenticated'],
  ])(
    'a sender of a byte now and then, %s, is answered and cut off',
    async (_what, auth, status, code) => {
      const request = httpRequest(`${gateway.url}/v1/toolsets`, {
        method: 'POST',
        headers: { ...auth, ...json, 'content-length': '100000' },
      });
      let closed = false;
      request.on('error', () => undefined);
      request.on('close', () => (closed = true));
      const drip = setInterval(() => request.write(' '), 100);
      const answer = new Promise<IncomingMessage>((resolve) => request.on('response', resolve));
      const response = await answer;
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('error', () => undefined);
      await until('the connection is closed', () => closed);
      clearInterval(drip);
      expect([response.statusCode, errorOf(body).code]).toEqual([status, code]);
    },
  );

  test('a body that is cut off in the middle troubles nobody', async () => {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(gateway.port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/toolsets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"to',
        );
        setTimeout(() => socket.resetAndDestroy(), 50);
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    expect((await gateway.request('GET', '/v1/runs')).status).toBe(200);
    await until('it is logged as gone', () =>
      /"operation":"createToolset","status":499/.test(gateway.log()),
    );
    expect(gateway.log()).not.toContain('"level":50');
  });
});

async function bombOf(size: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const parts: Buffer[] = [];
  gzip.on('data', (part: Buffer) => parts.push(part));
  const zeros = Buffer.alloc(16 * MiB);
  for (let written = 0; written < size; written += zeros.byteLength) {
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  await new Promise<void>((resolve) => {
    gzip.once('end', resolve);
    gzip.end();
  });
  return Buffer.concat(parts);
}
