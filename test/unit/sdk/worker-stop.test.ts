import { afterEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually';
import { gate } from './support/gate';
import { broken, FakeServer, startWorker, stopWorkers, task } from './support/fake-server';

afterEach(stopWorkers);

const CLAIM = '/v1/tasks/claim';
const LEAVE = '/v1/workers/leave';
const COMPLETE = '/v1/tasks/complete';
const tools = { 'crm.find': () => null };

describe('stop()', () => {
  test('HT-17, HT-75, FC-09: of an idle worker starts no claims, asks the server to end those in flight, and resolves', async () => {
    const server = new FakeServer();
    const { worker, errors } = startWorker(server, { tools });
    await eventually(() => server.openClaims === 5);
    await worker.stop();
    expect(server.to(CLAIM)).toHaveLength(5);
    expect(server.to(CLAIM).some(({ signal }) => signal.aborted)).toBe(false);
    expect(server.to(LEAVE).map(({ body }) => body)).toEqual([
      { worker: server.to(CLAIM)[0]?.body['worker'] },
    ]);
    expect(errors).toEqual([]);
    await expect(worker.done).resolves.toBeUndefined(); // HT-81
  });

  test('HT-17: claims in flight are waited for where the server does not end them', async () => {
    const server = new FakeServer().on(LEAVE, () => broken());
    const { worker, errors } = startWorker(server, { tools });
    await eventually(() => server.openClaims === 5);
    let stopped = false;
    const stopping = worker.stop().then(() => (stopped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stopped).toBe(false);
    server.releaseClaims();
    await stopping;
    expect(errors).toEqual([]);
  });

  test('HT-18, HT-20, FC-09: waits for handlers and answers, and may be called again meanwhile', async () => {
    const server = new FakeServer();
    const finish = gate<string>();
    const entered = gate();
    const { worker } = startWorker(server, {
      tools: { 'crm.find': () => (entered.open(), finish.promise) },
    });
    server.offer(task());
    await entered.promise;
    const first = worker.stop();
    const second = worker.stop();
    let stopped = false;
    void first.then(() => (stopped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stopped).toBe(false);
    finish.open('counts');
    await Promise.all([first, second, worker.done]);
    expect(server.to(COMPLETE)).toMatchObject([{ body: { result: 'counts' } }]);
    expect(server.to(LEAVE)).toHaveLength(1);
    await worker.stop();
  });

  test('HT-19, FC-09: a call that a claim in flight brings during stop is executed to its end', async () => {
    const server = new FakeServer().on(LEAVE, () => ({ ok: true }));
    const { worker } = startWorker(server, {
      concurrency: 2,
      tools: { 'crm.find': () => 'executed' },
    });
    await eventually(() => server.openClaims === 2);
    const stopping = worker.stop();
    server.offer(task());
    server.releaseClaims();
    await stopping;
    expect(server.to(COMPLETE)).toMatchObject([{ body: { result: 'executed' } }]);
    expect(server.to(CLAIM)).toHaveLength(2);
  });

  test('a claim that reached the server behind the leave is asked to end again', async () => {
    const server = new FakeServer();
    server.on(LEAVE, (_request, n) => {
      if (n === 2) server.releaseClaims();
      return { ok: true };
    });
    const { worker } = startWorker(server, { tools });
    await eventually(() => server.openClaims === 5);
    await worker.stop();
    expect(server.to(LEAVE)).toHaveLength(2);
  });

  test('ends a pause after failures at once', async () => {
    const server = new FakeServer().on(CLAIM, () => broken());
    const { worker, errors } = startWorker(server, { tools });
    await eventually(() => errors.length >= 7);
    const before = Date.now();
    await worker.stop();
    expect(Date.now() - before).toBeLessThan(1_500);
  });

  test('before the first claim nothing is ever sent', async () => {
    const server = new FakeServer();
    const { worker } = startWorker(server, { tools });
    await worker.stop();
    expect(server.requests).toHaveLength(0);
  });

  test('HT-76: the signal option stops the worker as stop() does', async () => {
    const server = new FakeServer();
    const controller = new AbortController();
    const { worker } = startWorker(server, { tools, signal: controller.signal });
    await eventually(() => server.openClaims === 5);
    controller.abort();
    await worker.done;
    expect(server.to(CLAIM)).toHaveLength(5);

    const never = new FakeServer();
    await startWorker(never, { tools, signal: controller.signal }).worker.done;
    expect(never.requests).toHaveLength(0);
  });
});

// The rest needs a process of its own: what is shown is that it ends by itself.
describe('a process with a worker', () => {
  test('HT-18, HT-20, FC-09: SIGTERM twice: it answers what it has and then exits by itself', async () => {
    const answered: string[] = [];
    let claims = 0;
    let heartbeats = 0;
    let left = false;
    const slowClaims: (() => void)[] = [];
    const server = createServer((request, response) => {
      const send = (body: unknown): void => void response.end(JSON.stringify(body));
      let text = '';
      request.on('data', (part: Buffer) => (text += part.toString()));
      request.on('end', () => {
        if (request.url === '/v1/tasks/heartbeat') {
          heartbeats += 1;
          const { tasks } = JSON.parse(text) as { tasks: unknown[] };
          send({ tasks: tasks.map(() => ({ status: 'ok' })) });
        } else if (request.url === CLAIM) {
          claims += 1;
          if (claims === 1) send({ task: task({ tool: 'slow', leaseMs: 1_000 }) });
          else slowClaims.push(() => send({ task: null }));
        } else {
          if (request.url === COMPLETE) answered.push(text);
          if (request.url === LEAVE) {
            left = true;
            for (const end of slowClaims.splice(0)) end();
          }
          send({ ok: true });
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const run = promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', join(__dirname, 'support', 'stopping-worker.ts')],
        {
          cwd: join(__dirname, '..', '..', '..'),
          env: {
            ...process.env,
            REWIND_API_KEY: 'k',
            REWIND_BASE_URL: `http://127.0.0.1:${port}`,
          },
          timeout: 30_000,
        },
      );
      await eventually(() => heartbeats > 0);
      run.child.kill('SIGTERM');
      await eventually(() => left);
      run.child.kill('SIGTERM');
      expect((await run).stdout).toBe('stopped\nstopped\n');
      expect(answered).toHaveLength(1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
