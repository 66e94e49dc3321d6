import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startProgram, type ChildProgram } from '../../support/child-process';
import { eventually } from '../../support/eventually';
import { startRewind, type TestRewind } from '../../support/rewind';

// A handler that blocks blocks its process: so each worker is one of its own.
/** That of the tools below. */
const LEASE_MS = 2000;
const block = `{ blockMs: ${3 * LEASE_MS}, ms: 50 }`;

let rewind: TestRewind;
let toolset: string;
const children: ChildProgram[] = [];
beforeAll(async () => {
  rewind = await startRewind();
  const spec = { description: '', input: { type: 'object' }, lease: '2s' } as const;
  const tools = { 'child.retry': spec, 'child.once': { ...spec, policy: 'at_most_once' as const } };
  toolset = (await rewind.client().toolsets.create({ tools })).id;
}, 60_000);
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill('SIGKILL')));
});
afterAll(() => rewind.stop());

const runs = () => rewind.client().namespace('ada').runs;
const create = (script: string) => runs().create({ toolset, script });
const end = (id: string) => runs().wait(id, { signal: AbortSignal.timeout(60_000) });

/** Its idle claims wait for longer than anything here takes: they are still open while it blocks. */
async function startWorker(): Promise<ChildProgram> {
  const env = {
    REWIND_API_KEY: rewind.apiKey,
    REWIND_BASE_URL: rewind.url,
    REWIND_POLL_WAIT: '30s',
  };
  const child = startProgram('test/support/programs/worker.ts', [], { env });
  children.push(child);
  await child.line(/^claiming$/);
  // It has claims open once a call was answered.
  await end((await create('return await child.retry({});')).id);
  return child;
}

/** Which of the workers a call came to first, and the other one. */
const byFirst = (id: string, workers: readonly [ChildProgram, ChildProgram]) =>
  eventually(() => {
    const [a, b] = workers;
    const has = (child: ChildProgram) => child.output().includes(`entered ${id}/1 1\n`);
    if (has(a)) return { busy: a, idle: b };
    return has(b) ? { busy: b, idle: a } : undefined;
  });

const entered = (id: string, ...workers: ChildProgram[]) =>
  workers.flatMap((child) =>
    child
      .output()
      .split('\n')
      .filter((line) => line.startsWith(`entered ${id}/1 `)),
  );

test('FC-06: a handler blocks its process for three leases: the idle worker gets the second attempt and all calls meanwhile; the late answer is dropped', async () => {
  const workers = [await startWorker(), await startWorker()] as const;
  const { id } = await create(
    `const got = await child.retry(${block}); await waitForSignal("end"); return got;`,
  );
  const { busy, idle } = await byFirst(id, workers);
  await idle.line(new RegExp(`^left ${id}/1 2 aborted=false$`));
  expect(busy.output()).not.toContain(`left ${id}`);
  const others = await create(
    'return await Promise.all(Array.from({ length: 12 }, () => child.retry({})));',
  );
  expect((await end(others.id)).output).toEqual(Array(12).fill({ pid: idle.pid, attempt: 1 }));
  // Else it has not shown that they went past a worker that blocks.
  expect(busy.output()).not.toContain(`left ${id}`);

  await busy.line(new RegExp(`^left ${id}/1 1 aborted=true$`));
  // It lives on, and claims: each worker alone serves what comes.
  await idle.kill('SIGKILL');
  const next = await end((await create('return await child.retry({});')).id);
  expect(next.output).toMatchObject({ pid: busy.pid });
  await runs().signal(id, 'end');
  expect((await end(id)).output).toEqual({ pid: idle.pid, attempt: 2 });
  const [call] = (await runs().trace(id)).data;
  expect(call).toMatchObject({ state: 'completed', attempt: 2 });
  expect(entered(id, ...workers).sort()).toEqual([`entered ${id}/1 1`, `entered ${id}/1 2`]);
}, 60_000);

test('FC-06: under at_most_once the outcome is unknown, nobody runs the call again, and the late answer changes nothing', async () => {
  const workers = [await startWorker(), await startWorker()] as const;
  const { id } = await create(`
    const got = await child.once(${block}).catch((e: unknown) => e instanceof ToolError && [e.code, e.outcomeUnknown]);
    await waitForSignal("end");
    return got;`);
  const { busy } = await byFirst(id, workers);
  await eventually(async () => (await runs().trace(id)).data[0]?.state === 'failed', {
    within: 2 * LEASE_MS,
  });
  expect(busy.output()).not.toContain(`left ${id}`);
  await busy.line(new RegExp(`^left ${id}/1 1 aborted=true$`));
  // Each worker claims again, and gets other calls only.
  const others = await create(
    'return await Promise.all(Array.from({ length: 12 }, () => child.retry({ ms: 50 })));',
  );
  expect((await end(others.id)).state).toBe('completed');
  await runs().signal(id, 'end');
  expect((await end(id)).output).toEqual(['outcome_unknown', true]);
  expect((await runs().trace(id)).data).toMatchObject([{ state: 'failed', attempt: 1 }]);
  expect(entered(id, ...workers)).toEqual([`entered ${id}/1 1`]);
}, 60_000);

test('FC-06: a worker that blocks alone for more leases than a call has attempts gets the second one when it is back', async () => {
  const worker = await startWorker();
  const { id } = await create(`return await child.retry({ blockMs: ${6 * LEASE_MS} });`);
  expect((await end(id)).output).toEqual({ pid: worker.pid, attempt: 2 });
  await worker.line(new RegExp(`^left ${id}/1 1 aborted=true$`));
  expect(entered(id, worker)).toHaveLength(2);
}, 60_000);
