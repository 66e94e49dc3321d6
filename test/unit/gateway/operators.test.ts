import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Validator } from '@cfworker/json-schema';
import { errorStatus, operations } from '../../../sdk/protocol';
import { aRun, everyOperation, ROOT, startGateway, type TestGateway } from './support';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a document to be looked at

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const document = async () =>
  (await gateway.request('GET', '/v1/openapi.json', { key: null })).json as Json;

test('/v1/openapi.json has every operation, with its parameters, body and answers', async () => {
  const api = await document();
  expect(api).toMatchObject({ openapi: '3.1.0', info: { title: 'Rewind', version: '1.2.3' } });
  const described = Object.entries(api['paths'] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(
      ([method, { operationId }]) => `${method} ${path} ${operationId}`,
    ),
  );
  const declared = Object.entries(operations).map(
    ([name, { method, path }]) => `${method} ${path.replace(/:(\w+)/g, '{$1}')} ${name}`,
  );
  expect(described.sort()).toEqual(declared.sort());
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const { parameters, requestBody, responses, description } = api['paths'][path][
      operation.method
    ] as Json;
    expect([name, requestBody !== undefined]).toEqual([name, 'body' in operation]);
    const inPath = (parameters as Json[]).filter((parameter) => parameter['in'] === 'path');
    expect(inPath.map((parameter) => String(parameter['name']))).toEqual(
      [...operation.path.matchAll(/:(\w+)/g)].map(([, id]) => id),
    );
    expect(Object.keys(responses as Json)).toEqual(
      expect.arrayContaining([String(operation.status), '400', '401', '403', '500', '503']),
    );
    expect(description).toContain(operation.right);
  }
});

test('every error code and status is described, and every reference leads somewhere', async () => {
  const api = await document();
  const text = JSON.stringify(api);
  for (const status of new Set(Object.values(errorStatus))) {
    expect(api['components']['responses']).toHaveProperty(`Error${status}`);
  }
  const error = api['components']['schemas']['Error'] as Json;
  expect(error['properties']['error']['properties']['code']['enum']).toEqual(
    Object.keys(errorStatus),
  );
  for (const [, ref = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    expect([
      ref,
      ref.split('/').reduce<unknown>((at, key) => (at as Json)?.[key], api) === undefined,
    ]).toEqual([ref, false]);
  }
});

test('what the gateway answers fits the schemas that it shows', async () => {
  const api = await document();
  gateway.engine.run = () =>
    Promise.resolve(
      aRun({
        state: 'waiting',
        waitingFor: [{ kind: 'signal', name: 'go', line: 3 }],
      }),
    );
  const shown = (path: string, method: string, status: number) => {
    const { schema } = api['paths'][path][method]['responses'][status]['content'][
      'application/json'
    ] as Json;
    return new Validator({ ...(schema as object), components: api['components'] }, '2020-12');
  };
  const run = await gateway.request('GET', '/v1/runs/run_0123456789', { namespace: 'ada' });
  expect(shown('/v1/runs/{id}', 'get', 200).validate(run.json)).toMatchObject({ valid: true });
  expect(
    shown('/v1/runs/{id}', 'get', 200).validate({ ...run.json, state: 'dreaming' }),
  ).toMatchObject({ valid: false });
  const created = everyOperation.find(({ name }) => name === 'createToolset');
  const toolset = await gateway.request('POST', '/v1/toolsets', { body: created?.body });
  expect(toolset.status).toBe(201);
  expect(shown('/v1/toolsets', 'post', 201).validate(toolset.json)).toMatchObject({ valid: true });
  const error = new Validator(api['components']['schemas']['Error'] as never, '2020-12');
  const missing = await gateway.request('GET', '/v1/toolsets/ts_00000000');
  expect(error.validate(missing.json)).toMatchObject({ valid: true });
});

test('/healthz, /readyz and /metrics need no key; readiness names the part that is away', async () => {
  expect((await gateway.request('GET', '/healthz', { key: null })).json).toEqual({ ok: true });
  expect((await gateway.request('GET', '/readyz', { key: null })).status).toBe(200);
  const ready = () => Promise.resolve();
  gateway.engine.ready = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:7233'));
  const away = await gateway.request('GET', '/readyz', { key: null });
  expect([away.status, away.json.error.code]).toEqual([503, 'unavailable']);
  expect(away.text).not.toContain('10.0.0.1');
  expect((await gateway.request('GET', '/healthz', { key: null })).status).toBe(200);
  gateway.engine.ready = ready;
  const metrics = await gateway.request('GET', '/metrics', { key: null });
  expect(metrics.text).toMatch(
    /rewind_http_request_duration_seconds_count\{operation="createToolset",status="201"\} \d/,
  );
  expect(metrics.text).toContain('rewind_claims_waiting 0');
});

test('one line is logged for each request, and no secret, body or query is in it', async () => {
  const secrets = [
    's3cret-script',
    's3cret-label',
    's3cret-token',
    's3cret-namespace',
    's3cret-key-of-idempotency',
    ROOT,
  ];
  await gateway.request('POST', '/v1/runs', {
    namespace: 's3cret-namespace',
    headers: { 'idempotency-key': 's3cret-key-of-idempotency' },
    body: { script: 'return "s3cret-script"', toolset: 'ts_0123456789' },
  });
  await gateway.request('GET', '/v1/runs?label=a%3Ds3cret-label');
  await gateway.request('POST', '/v1/tasks/complete', {
    body: { token: 's3cret-token', result: 1 },
  });
  await gateway.request('GET', '/v1/runs', { key: 'rk_s3cret-key-of-nobody' });
  gateway.engine.listRuns = () => Promise.reject(new Error('a fault of ours'));
  const fault = await gateway.request('GET', '/v1/runs');
  expect([fault.status, fault.json.error.code]).toEqual([500, 'internal']);
  expect(fault.text).not.toMatch(/fault of ours|\.ts|at /);
  const lines = gateway
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  const found = lines.find((line) => line['requestId'] === fault.json.error.requestId);
  expect(found).toMatchObject({ operation: 'listRuns', status: 500, level: 50 });
  expect(JSON.stringify(found)).toContain('a fault of ours');
  for (const secret of [...secrets, 's3cret-key-of-nobody'])
    expect(gateway.log()).not.toContain(secret);
});
