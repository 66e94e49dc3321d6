import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type ChildProgram } from '../../support/child-process';
import { eventually } from '../../support/eventually';
import { startRewind, type TestRewind } from '../../support/rewind';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';

// A lease that is waited for is seen: it takes longer than everything here.
const LEASE = '45s';
const POLL_WAIT_MS = 10_000;
/** Handlers that take longer than all that happens beside them, also on a busy machine. */
const LONG_MS = 12_000;

let rewind: TestRewind;
let toolset: string;
const children: ChildProgram[] = [];
const proxies: TcpProxy[] = [];
beforeAll(async () => {
  rewind = await startRewind();
  const spec = { description: '', input: { type: 'object' }, lease: LEASE } as const;
  const tools = { 'child.retry': spec, 'child.once': { ...spec, policy: 'at_most_once' as const } };
  toolset = (await rewind.client().toolsets.create({ tools })).id;
}, 60_000);
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill('SIGKILL')));
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});
afterAll(() => rewind.stop());

const runs = () => rewind.client().namespace('ada').runs;
const create = (script: string) => runs().create({ toolset, script });
const end = (id: string) => runs().wait(id, { signal: AbortSignal.timeout(40_000) });

async function startWorker(env: NodeJS.ProcessEnv = {}): Promise<ChildProgram> {
  const child = startProgram('test/support/programs/worker.ts', [], {
    env: {
      REWIND_API_KEY: rewind.apiKey,
      REWIND_BASE_URL: rewind.url,
      REWIND_POLL_WAIT: `${POLL_WAIT_MS}ms`,
      ...env,
    },
  });
  children.push(child);
  await child.line(/^claiming$/);
  // It holds claims open once it has answered a call.
  await eventually(async () => {
    const { output } = await end((await create('return await child.retry({});')).id);
    return (output as { pid: number }).pid === child.pid;
  });
  return child;
}

/** How long the stop took, of a process that ended by itself and in order. */
async function ending(child: ChildProgram): Promise<number> {
  const told = /^stopped after (\d+) ms, gone (\d+) ms later$/;
  const [, stoppedAfter, goneAfter] = await child.line(told, { within: 30_000 });
  expect(await child.exited).toBe(0);
  expect(Number(goneAfter)).toBeLessThan(1000);
  expect(child.output()).not.toMatch(/unhandled|error/i);
  return Number(stoppedAfter);
}

test.each([['stop()'], ['signal']])(
  'FC-09: %s ends an idle worker within pollWait, and its process goes by itself within a second',
  async (by) => {
    const child = await startWorker({ REWIND_STOP: by });
    process.kill(child.pid, 'SIGTERM');
    expect(await ending(child)).toBeLessThan(POLL_WAIT_MS);
  },
);

test.each([['stop()'], ['signal']])(
  'FC-09: %s while two handlers run: they end, and a call that becomes ready meanwhile is served at once',
  async (by) => {
    const busy = await startWorker({ REWIND_STOP: by });
    const long = await create(
      `return await Promise.all([child.retry({ ms: ${LONG_MS} }), child.once({ ms: ${LONG_MS} })]);`,
    );
    await eventually(() => busy.output().split(`entered ${long.id}/`).length === 3);
    const other = await startWorker();
    // Calls become ready shortly before the stop, in it and after it.
    const script = 'return await Promise.all([child.retry({}), child.once({})]);';
    const ready = Array.from({ length: 16 }, async (_, n) => {
      await sleep(n * 40);
      return end((await create(script)).id);
    });
    await sleep(200);
    process.kill(busy.pid, 'SIGTERM');
    await busy.line(/^stopping$/);
    process.kill(busy.pid, 'SIGTERM');
    for (const run of await Promise.all(ready)) {
      const served = { pid: expect.any(Number) as unknown, attempt: 1 };
      expect(run).toMatchObject({ state: 'completed', output: [served, served] });
      expect(Date.parse(run.endedAt!) - Date.parse(run.createdAt)).toBeLessThan(LONG_MS - 2000);
    }
    // So the stop was not over when they came, and the handlers not yet through.
    expect(busy.output()).not.toContain(`left ${long.id}`);
    const late = await end((await create(script)).id);
    expect(late.output).toEqual(Array(2).fill({ pid: other.pid, attempt: 1 }));

    expect(await ending(busy)).toBeLessThan(LONG_MS + POLL_WAIT_MS);
    expect((await end(long.id)).output).toEqual(Array(2).fill({ pid: busy.pid, attempt: 1 }));
    expect(busy.output()).not.toContain('aborted=true');
  },
  60_000,
);

test('FC-09: calls that come while the only worker stops wait for the next one, and for no lease', async () => {
  const first = await startWorker();
  const script = 'return await Promise.all([child.retry({}), child.once({})]);';
  const around = Array.from({ length: 12 }, async (_, n) => {
    await sleep(n * 40);
    return (await create(script)).id;
  });
  await sleep(150);
  process.kill(first.pid, 'SIGTERM');
  const ids = await Promise.all(around);
  await ending(first);
  await startWorker();
  const here = Date.now();
  const ended = await Promise.all(ids.map(end));
  for (const { output } of ended) {
    expect(output).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
  }
  // The second worker has served some of them while it was waited for.
  const last = Math.max(...ended.map(({ endedAt }) => Date.parse(endedAt!)));
  expect(last - here).toBeLessThan(5000);
}, 60_000);

test('FC-09: a worker whose server is not to be reached stops all the same', async () => {
  const proxy = await startTcpProxy(Number(new URL(rewind.url).port));
  proxies.push(proxy);
  const child = await startWorker({ REWIND_BASE_URL: `http://127.0.0.1:${proxy.port}` });
  proxy.refuse();
  await child.line(/ConnectionError/);
  process.kill(child.pid, 'SIGTERM');
  const [, stoppedAfter] = await child.line(/^stopped after (\d+) ms, gone \d{1,3} ms later$/);
  expect(Number(stoppedAfter)).toBeLessThan(POLL_WAIT_MS);
  expect(await child.exited).toBe(0);
  expect(child.output()).not.toMatch(/unhandled/i);
});
