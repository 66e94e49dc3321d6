import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import pino from 'pino';
import type { Checker } from '../../../check/types';
import { createApp, createHttpServer, createMetrics, ensureRootKey } from '../../../gateway';
import type { Engine } from '../../../gateway/engine';
import { notFound } from '../../../gateway/errors';
import type { ServerTimeouts } from '../../../gateway';
import { operations, type OperationName, type Run } from '../../../sdk/protocol';
import { openStore } from '../../../store';
import type { Store } from '../../../store/types';

export const ROOT = 'rk_root_key_of_these_tests_0123456789';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look at what came, whatever it is
  json: any;
}

export interface RequestOptions {
  key?: string | null;
  namespace?: string;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: string | Uint8Array;
  signal?: AbortSignal;
}

export interface TestGateway {
  url: string;
  port: number;
  store: Store;
  log: () => string;
  /** Settable: what the next requests meet. */
  engine: Engine;
  checker: Checker;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  key(body: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  engine?: Partial<Engine>;
  checker?: Partial<Checker>;
  store?: (store: Store) => Store;
  timeouts?: ServerTimeouts;
  bodyTimeoutMs?: number;
}

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const kept = await openStore();
  await ensureRootKey(kept, ROOT);
  const store = options.store?.(kept) ?? kept;
  const engine = { ...fakeEngine(), ...options.engine };
  const checker = { ...fakeChecker(), ...options.checker };
  let log = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log += chunk.toString();
      done();
    },
  });
  const app = createApp({
    store,
    engine,
    checker,
    logger: pino({ level: 'trace' }, sink),
    metrics: createMetrics({ process: false }),
    version: '1.2.3',
    ...(options.bodyTimeoutMs !== undefined && { bodyTimeoutMs: options.bodyTimeoutMs }),
  });
  const server = createHttpServer(app, options.timeouts);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const request = async (method: string, path: string, sent: RequestOptions = {}) => {
    const { key = ROOT, namespace, body, raw } = sent;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(namespace !== undefined && { 'rewind-namespace': encodeURIComponent(namespace) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
      ...(sent.signal && { signal: sent.signal }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as unknown) : undefined,
    };
  };
  return {
    url,
    port,
    store: kept,
    log: () => log,
    engine,
    checker,
    request,
    key: async (body) => {
      const made = await request('POST', '/v1/keys', { body: { name: 'a key', ...body } });
      return (made.json as { key: string }).key;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await kept.close();
    },
  };
}

export function aRun(more: Partial<Run> = {}): Run {
  return {
    id: 'run_0123456789',
    state: 'running',
    namespace: 'ada',
    toolset: 'ts_0123456789',
    labels: {},
    calls: 0,
    createdAt: '2030-01-01T00:00:00.000Z',
    expiresAt: '2030-01-08T00:00:00.000Z',
    waitingFor: [],
    ...more,
  };
}

/** An engine without runs. */
export function fakeEngine(): Engine {
  const none = (_scope: unknown, id: string) => Promise.reject(notFound('run', id));
  return {
    ready: () => Promise.resolve(),
    startRun: ({ namespace, labels, toolset }) =>
      Promise.resolve(aRun({ namespace, labels, toolset: toolset.id })),
    run: none,
    listRuns: () => Promise.resolve({ data: [] }),
    output: none,
    log: none,
    trace: none,
    signal: none,
    cancel: none,
    claim: ({ handOver }) => Promise.resolve(void handOver(null)),
    heartbeat: (_scope, _worker, tasks) => Promise.resolve(tasks.map(() => 'ok' as const)),
    defer: () => Promise.resolve({ token: 'later', deadline: '2030-01-01T00:00:00.000Z' }),
    release: () => Promise.resolve(),
    complete: () => Promise.resolve(),
    fail: () => Promise.resolve(),
    leave: () => Promise.resolve(),
  };
}

/** A checker that finds nothing to say. */
export function fakeChecker(): Checker {
  return {
    checkTools: () => Promise.resolve([]),
    check: (script, scope) =>
      Promise.resolve({
        ok: true,
        script: { code: `compiled:${script}`, map: '{}' },
        tools: Object.keys(scope.tools),
      }),
    declarations: (scope, names) =>
      Promise.resolve(`// ${(names ?? Object.keys(scope.tools)).join()}`),
    close: () => Promise.resolve(),
  };
}

const token = 'a-token';
const worker = 'worker_0123456789';
const bodies: Partial<Record<OperationName, unknown>> = {
  createToolset: { tools: { add: { description: 'adds', input: { type: 'object' } } } },
  checkScript: { script: 'return 1', toolset: 'ts_0123456789' },
  createRun: { script: 'return 1', toolset: 'ts_0123456789' },
  signalRun: { name: 'go' },
  cancelRun: {},
  claimTask: { tools: ['add'], wait: '0ms', worker },
  heartbeatTasks: { worker, tasks: [{ token, begun: true }] },
  deferTask: { token },
  releaseTask: { token },
  completeTask: { token, result: 1 },
  failTask: { token, error: { message: 'no' } },
  leaveWorker: { worker },
  createKey: { name: 'another' },
};

/** A valid request of every operation. */
export const everyOperation = (Object.keys(operations) as OperationName[]).map((name) => {
  const { method, path, right } = operations[name];
  const resource = path.split('/')[2] ?? '';
  const id = { runs: 'run_0123456789', toolsets: 'ts_0123456789', keys: 'key_0123456789' }[
    resource
  ];
  const body = bodies[name];
  return {
    name,
    right,
    method: method.toUpperCase(),
    path: path.replace(':id', id ?? ''),
    ...(body !== undefined && { body }),
  };
});

/** Waits for something to become true. Fails, with what it is about, after the deadline. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
