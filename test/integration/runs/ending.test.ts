import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RunEndedError, type Run } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from './stage';

// How runs end from outside: by a cancel, and by their time to live.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const cached = process.env['REWIND_TEST_CACHE'] !== 'off';
const lifetime = ({ createdAt, endedAt }: Run) => Date.parse(endedAt!) - Date.parse(createdAt);

describe('a cancel', () => {
  test.each([
    ['a call in a worker', 'await work.slow();'],
    ['a signal', 'await waitForSignal("go");'],
    ['a time', 'await sleep("3d");'],
    ['a call that no worker serves', 'await nobody.home();'],
    ['an answer', 'await people.ask({ question: "?" });'],
    [
      'whatever it catches',
      'for (;;) { try { await Promise.race([waitForSignal("go"), work.slow()]); } catch {} }',
    ],
  ])('ends a run that waits for %s, and tells the reason', async (_, script) => {
    const { id } = await stage.create(script);
    await eventually(async () => (await stage.runs().retrieve(id)).waitingFor.length > 0);
    const asked = Date.now();
    const run = await stage.runs().cancel(id, { reason: 'wrong customer' });
    expect(Date.now() - asked).toBeLessThan(5000);
    expect(run).toMatchObject({
      state: 'canceled',
      waitingFor: [],
      error: { message: 'canceled: wrong customer' },
    });
    expect(await stage.runs().retrieve(id)).toEqual(run);
    // It ended by itself: nobody had to end it from outside. Without a cache, where each task replays
    // the run, it may not be quick enough for that.
    const { status } = await stage.rewind.temporal.client.workflow.getHandle(id).describe();
    if (cached) expect(status.name).toBe('CANCELLED');
    await expect(stage.runs().cancel(id)).rejects.toBeInstanceOf(RunEndedError);
    expect((await stage.runs().trace(id)).data.map(({ state }) => state)).toEqual(
      script.includes('work') || script.includes('nobody') || script.includes('people')
        ? ['dropped']
        : [],
    );
  });

  test('aborts the handler, and what it answers is dropped without noise', async () => {
    const { id } = await stage.create('return await work.slow();');
    await eventually(() => stage.entered.some((line) => line.includes(id)));
    await stage.runs().cancel(id);
    // The handler ends only when its signal is aborted.
    await stage.finishSlow(id);
    expect(await stage.runs().retrieve(id)).toMatchObject({ state: 'canceled', calls: 1 });
  });

  test('refuses answers to its open calls, naming the reason', async () => {
    const { id } = await stage.create('return await people.ask({ question: "?" });');
    const token = await stage.token(id, 1);
    await stage.runs().cancel(id);
    await expect(stage.client.tasks.complete(token, 1)).rejects.toBeInstanceOf(RunEndedError);
  });

  test('of a run that has ended is refused, however it ended', async () => {
    for (const script of ['return 1;', 'throw new Error("no");']) {
      const { id, state } = await stage.run(script);
      await expect(stage.runs().cancel(id)).rejects.toBeInstanceOf(RunEndedError);
      expect((await stage.runs().retrieve(id)).state).toBe(state);
    }
  });
});

describe('the time to live', () => {
  test('FC-20: ends a run that catches everything, at most two seconds late, and hands out no later call', async () => {
    const script = `
      for (;;) {
        try { await echo({ value: 1 }); await sleep("100ms"); await work.fail({ message: "no" }); }
        catch (error) { console.log(String(error)); }
      }`;
    const run = await stage.run(script, { ttl: '3s' });
    expect(run).toMatchObject({
      state: 'expired',
      error: { message: 'expired after 3s' },
      waitingFor: [],
    });
    expect(lifetime(run)).toBeGreaterThanOrEqual(2990);
    expect(lifetime(run)).toBeLessThan(5000);
    const handed = stage.entered.filter((line) => line.includes(run.id)).length;
    expect(handed).toBeGreaterThan(0);
    const { id } = await stage.run('return 1;');
    expect(id).toBeDefined();
    expect(stage.entered.filter((line) => line.includes(run.id))).toHaveLength(handed);
  });

  test('FC-20: aborts a handler in flight, and its tokens answer that the run has ended', async () => {
    const script = 'await Promise.all([work.slow(), people.ask({ question: "?" })]);';
    const run = await stage.run(script, { ttl: '2s' });
    expect(run.state).toBe('expired');
    await expect(
      stage.client.tasks.complete(await stage.token(run.id, 2), 'late'),
    ).rejects.toBeInstanceOf(RunEndedError);
    const trace = await stage.runs().trace(run.id);
    expect(trace.data.map(({ tool, state }) => [tool, state])).toEqual([
      ['work.slow', 'dropped'],
      ['people.ask', 'dropped'],
    ]);
  });

  test.each([
    ['a signal', 'await waitForSignal("go");'],
    ['a longer time', 'await sleep("3d");'],
    ['a call that no worker serves', 'await nobody.home();'],
  ])('ends a run that waits for %s', async (_, script) => {
    const run = await stage.run(script, { ttl: '1s' });
    expect(run).toMatchObject({ state: 'expired', error: { message: 'expired after 1s' } });
    expect(lifetime(run)).toBeLessThan(3000);
  });

  test('does not touch a run that ends in time', async () => {
    const run = await stage.run('await sleep("100ms"); return 1;', { ttl: '5s' });
    expect(run).toMatchObject({ state: 'completed', output: 1 });
  });
});
