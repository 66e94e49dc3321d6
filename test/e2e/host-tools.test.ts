import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually';
import { startProgram, type ChildProgram } from '../support/child-process';
import { startRewind, type TestRewind } from '../support/rewind';

let rewind: TestRewind;
let toolset: string;
const children: ChildProgram[] = [];
beforeAll(async () => {
  rewind = await startRewind();
  const spec = { description: '', input: { type: 'object' }, lease: '2s' } as const;
  const tools = { 'child.retry': spec, 'child.once': { ...spec, policy: 'at_most_once' as const } };
  toolset = (await rewind.client().toolsets.create({ tools })).id;
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill('SIGKILL')));
});
afterAll(() => rewind.stop());

const env = () => ({ REWIND_API_KEY: rewind.apiKey, REWIND_BASE_URL: rewind.url });
const runs = () => rewind.client().namespace('ada').runs;

async function startWorker(): Promise<ChildProgram> {
  const child = startProgram('test/support/programs/worker.ts', [], { env: env() });
  children.push(child);
  await child.line(/^claiming$/);
  return child;
}

const create = (script: string) => runs().create({ toolset, script });
const end = (id: string) => runs().wait(id, { signal: AbortSignal.timeout(60_000) });

test('HT-48, HT-50, HT-24: a worker that is killed loses its claim when its heartbeats stop; another gets the call with the same key', async () => {
  const first = await startWorker();
  const { id } = await create('return await child.retry({ ms: 4000 })');
  await first.line(/^entered /);
  const second = await startWorker();
  await first.kill('SIGKILL');
  const ended = await end(id);
  expect(ended.output).toEqual({ pid: second.pid, attempt: 2 });
  const key = `${id}/1`;
  expect(first.output()).toContain(`entered ${key} 1`);
  expect(second.output()).toContain(`entered ${key} 2`);
});

test('HT-52, HT-53: an at_most_once call whose worker is killed is an unknown outcome, and never entered again', async () => {
  const first = await startWorker();
  const second = await startWorker();
  const { id } = await create(
    'return await child.once({ ms: 20000 }).catch((e: any) => [e instanceof ToolError, e.code, e.outcomeUnknown])',
  );
  const busy = await eventually(() =>
    [first, second].find((child) => child.output().includes(`entered ${id}/1`)),
  );
  await busy.kill('SIGKILL');
  expect((await end(id)).output).toEqual([true, 'outcome_unknown', true]);
  const entered = [first, second].map(
    (child) => child.output().split(`entered ${id}/1`).length - 1,
  );
  expect(entered.sort()).toEqual([0, 1]);
});

test('HT-08, HT-18, HT-20, FC-09: SIGTERM, even twice, lets the handlers finish; then the process exits by itself, having listened on nothing', async () => {
  const child = await startWorker();
  const { id } = await create('return await child.retry({ ms: 3000 })');
  await child.line(/^entered /);
  process.kill(child.pid, 'SIGTERM');
  await child.line(/^stopping$/);
  process.kill(child.pid, 'SIGTERM');
  await child.line(/^stopped, 0 listening$/);
  expect(await child.exited).toBe(0);
  expect((await end(id)).output).toEqual({ pid: child.pid, attempt: 1 });
  expect(child.output()).not.toMatch(/unhandled/i);
});

test('HT-68, HT-58: examples/host-tools runs as written, its deferred answer given by another process', async () => {
  const example = startProgram('examples/host-tools/main.ts', [], { env: env() });
  children.push(example);
  expect(await example.exited).toBe(0);
  expect(example.output()).toContain('Answering, from a second process');
  expect(example.output()).toContain('Everything went as the document says.');
});
