import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Run, Wait } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from './stage';

// What a run waits for, and whether it counts as running or as waiting.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** The run as soon as it shows what is expected of it. */
function shows(id: string, expected: object): Promise<Run> {
  return eventually(async () => {
    const run = await stage.runs().retrieve(id);
    expect(run).toMatchObject(expected);
    return run;
  });
}

const tool = (fields: Partial<Wait & { kind: 'tool' }>): object => ({
  kind: 'tool',
  seq: 1,
  attempt: 1,
  since: isoTime,
  line: 1,
  ...fields,
});

describe('one thing', () => {
  test('a call in a worker is running: claimed and served', async () => {
    const { id } = await stage.create('return await work.slow();');
    const waitingFor = [tool({ tool: 'work.slow', state: 'claimed', served: true })];
    await shows(id, { state: 'running', waitingFor, calls: 1 });
    await stage.finishSlow(id);
    expect(await stage.runs().wait(id)).toMatchObject({ output: 'slowly', waitingFor: [] });
  });

  test('a call that no worker serves is waiting: pending and not served', async () => {
    const { id } = await stage.create('return await nobody.home();');
    const waitingFor = [tool({ tool: 'nobody.home', state: 'pending', served: false })];
    await shows(id, { state: 'waiting', waitingFor, calls: 1 });
    await stage.runs().cancel(id);
  });

  test('a deferred call is waiting, until its deadline, which the time to live bounds', async () => {
    const { id } = await stage.create('return await people.ask({ question: "?" });');
    const deferred = tool({ tool: 'people.ask', state: 'deferred', served: true });
    const run = await shows(id, { state: 'waiting', waitingFor: [deferred] });
    const [wait] = run.waitingFor;
    expect(wait?.kind === 'tool' && wait.deadline).toBe(run.expiresAt);
    await stage.client.tasks.complete(await stage.token(id, 1), 'yes');
    expect((await stage.runs().wait(id)).output).toBe('yes');
  });

  test('a signal is waiting, with its deadline where it has one', async () => {
    const { id } = await stage.create('\nreturn await waitForSignal("go", { timeout: "2d" });');
    const signal = { kind: 'signal', name: 'go', deadline: isoTime, line: 2 };
    const run = await shows(id, { state: 'waiting', waitingFor: [signal], calls: 0 });
    const [wait] = run.waitingFor;
    if (wait?.kind !== 'signal') throw new Error('no signal');
    const days = (Date.parse(wait.deadline!) - Date.parse(run.createdAt)) / 86_400_000;
    expect(Math.abs(days - 2)).toBeLessThan(0.01);
    await stage.runs().signal(id, 'go');
    await stage.runs().wait(id);
  });

  test('a sleep is waiting, until its end', async () => {
    const { id } = await stage.create('await sleep("1.5h");');
    const run = await shows(id, {
      state: 'waiting',
      waitingFor: [{ kind: 'sleep', until: isoTime }],
    });
    const [wait] = run.waitingFor;
    if (wait?.kind !== 'sleep') throw new Error('no sleep');
    const minutes = (Date.parse(wait.until) - Date.parse(run.createdAt)) / 60_000;
    expect(Math.abs(minutes - 90)).toBeLessThan(1);
    await stage.runs().cancel(id);
  });
});

test('many things stand in the order in which they were asked for', async () => {
  const script = `await Promise.all([
  sleep("1d"),
  waitForSignal("go"),
  nobody.home(),
  people.ask({ question: "?" }),
  work.slow(),
]);`;
  const { id } = await stage.create(script);
  const kinds = ['sleep', 'signal', 'tool', 'tool', 'tool'];
  const run = await shows(id, { state: 'running', calls: 3 });
  expect(run.waitingFor.map(({ kind }) => kind)).toEqual(kinds);
  expect(run.waitingFor.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
  await stage.finishSlow(id);
  // What is left is not ours to do.
  const waiting = await shows(id, { state: 'waiting', calls: 3 });
  expect(waiting.waitingFor.map(({ kind }) => kind)).toEqual(kinds.slice(0, 4));
  await stage.runs().cancel(id);
});

test('a wait for a change answers when the state changes, not only at the end', async () => {
  const script = 'await work.slow(); await waitForSignal("go"); await work.slow(); return 1;';
  const { id } = await stage.create(script);
  await shows(id, { state: 'running', waitingFor: [{ kind: 'tool' }] });
  const changed = stage.runs().retrieve(id, { wait: '30s' });
  const asked = Date.now();
  await stage.finishSlow(id);
  expect(await changed).toMatchObject({ state: 'waiting', waitingFor: [{ kind: 'signal' }] });
  expect(Date.now() - asked).toBeLessThan(10_000);
  const again = stage.runs().retrieve(id, { wait: '30s' });
  await stage.runs().signal(id, 'go');
  expect(await again).toMatchObject({ state: 'running' });
  await shows(id, { waitingFor: [{ kind: 'tool', seq: 2, state: 'claimed' }] });
  await stage.finishSlow(id);
  expect(await stage.runs().retrieve(id, { wait: '30s' })).toMatchObject({ state: 'completed' });
});

test('a wait without a change answers in its time, with the run as it is', async () => {
  const { id } = await stage.create('await waitForSignal("go");');
  await shows(id, { state: 'waiting' });
  const asked = Date.now();
  const run = await stage.runs().retrieve(id, { wait: '1s' });
  expect(run.state).toBe('waiting');
  expect(Date.now() - asked).toBeGreaterThanOrEqual(950);
  expect(Date.now() - asked).toBeLessThan(6000);
  await stage.runs().cancel(id);
});

test('waiting for the end can be given up', async () => {
  const { id } = await stage.create('await waitForSignal("go");');
  const reason = new Error('no longer');
  const controller = new AbortController();
  const waited = stage.runs().wait(id, { signal: controller.signal });
  controller.abort(reason);
  await expect(waited).rejects.toBe(reason);
  await stage.runs().cancel(id);
});
