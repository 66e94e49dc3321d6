import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProgram } from '../../support/child-process';
import { eventually } from '../../support/eventually';
import { openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.stop());

const wait = (id: string, ms: number) =>
  theatre.runs().wait(id, { signal: AbortSignal.timeout(ms) });

test('the calls of a worker that was killed go to another group, the new ones at once', async () => {
  const toolset = await theatre.declare({ 'child.retry': {}, 'child.once': {}, 'child.other': {} });
  const { url, apiKey } = theatre.rewind;
  const child = startProgram('test/support/programs/worker.ts', [], {
    env: { REWIND_BASE_URL: url, REWIND_API_KEY: apiKey },
  });
  await child.line(/^claiming$/);
  const script = 'return await child.retry({})';
  expect((await theatre.run(toolset, script)).output).toMatchObject({ pid: child.pid });
  await child.kill('SIGKILL');
  const killed = Date.now();
  // Still in the directory: the call goes into its queue, and stays there once no poll is left over.
  const queued = await theatre.runs().create({ toolset, script });
  let delivery: string | undefined;
  await eventually(
    async () => {
      const { raw } = await theatre.rewind.temporal.client.workflow.getHandle(queued.id).describe();
      const before = delivery;
      delivery = raw.pendingActivities?.[0]?.activityId ?? undefined;
      return delivery !== undefined && delivery === before;
    },
    { every: 1_000 },
  );
  // Another group with fewer free slots than the dead one seems to have.
  theatre.worker({ 'child.retry': () => 'alive', 'child.other': () => 1 }, { concurrency: 2 });
  await eventually(async () => {
    const groups = await theatre.rewind.system.store.allLiveGroups(new Date(Date.now() - 45_000));
    return groups.some(({ tools }) => tools.includes('child.other'));
  });
  const fresh = await theatre.run(toolset, script);
  expect(fresh.output).toBe('alive');
  expect(Date.now() - killed).toBeLessThan(40_000);
  expect((await wait(queued.id, 90_000)).output).toBe('alive');
  expect(Date.now() - killed).toBeLessThan(90_000);
}, 180_000);

test('a group that falls silent is dead after 45 s; a worker whose claim waits for longer is not', async () => {
  const toolset = await theatre.declare({
    'silent.tool': {},
    'silent.more': {},
    'patient.tool': {},
  });
  const patient = theatre.worker({ 'patient.tool': () => 'patient' }, { pollWait: '2m' });
  const { url, apiKey } = theatre.rewind;
  // A worker that asked once and was never heard of again, though its connection is whole.
  await fetch(`${url}/v1/tasks/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      tools: ['silent.tool'],
      wait: '2s',
      worker: 'worker_by_hand',
      slots: 9,
    }),
  });
  const began = Date.now();
  const { id } = await theatre
    .runs()
    .create({ toolset, script: 'return await tools["silent.tool"]({})' });
  theatre.worker({ 'silent.tool': () => 'heard', 'silent.more': () => 1 }, { concurrency: 1 });
  expect((await wait(id, 80_000)).output).toBe('heard');
  expect(Date.now() - began).toBeGreaterThan(35_000);
  const asked = Date.now();
  const run = await theatre.run(toolset, 'return await patient.tool({})');
  expect(run.output).toBe('patient');
  expect(Date.now() - asked).toBeLessThan(30_000);
  const { events } = await theatre.rewind.temporal.client.workflow.getHandle(run.id).fetchHistory();
  // Never parked: its worker was in the directory all the time.
  expect(events?.some((event) => event.workflowExecutionSignaledEventAttributes)).toBe(false);
  await patient.stop();
}, 150_000);
