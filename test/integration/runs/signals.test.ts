import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RunEndedError, TooLargeError } from '@rewind.codes/sdk';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const take = (count: number) =>
  `const got = []; for (let n = 0; n < ${count}; n++) got.push(await waitForSignal("go")); return got;`;

test('FC-04: signals sent before the wait arrive in order, once each, over a restart of the script worker', async () => {
  const { id } = await stage.create(`await work.slow();\n${take(3)}`);
  for (const n of [1, 2, 3]) await stage.runs().signal(id, 'go', n);
  await stage.runs().signal(id, 'goo', 'typo');
  await stage.rewind.restartScriptWorker();
  await stage.finishSlow(id);
  expect(await stage.runs().wait(id)).toMatchObject({ state: 'completed', output: [1, 2, 3] });
});

test('FC-04: a signal that nothing waits for is shown while the run waits', async () => {
  const { id } = await stage.create('return await waitForSignal("go");');
  await stage.runs().retrieve(id, { wait: '20s' });
  await stage.runs().signal(id, 'goo', 1);
  await stage.runs().signal(id, 'goo', 2);
  const shown = { state: 'waiting', unreadSignals: [{ name: 'goo', count: 2 }] };
  for (;;) {
    const run = await stage.runs().retrieve(id);
    if (run.unreadSignals?.[0]?.count === 2) {
      expect(run).toMatchObject(shown);
      break;
    }
  }
  await stage.runs().signal(id, 'go', { yes: true });
  expect((await stage.runs().wait(id)).output).toEqual({ yes: true });
});

test('a signal without a payload is undefined, and one of null is null', async () => {
  const script =
    'const got = []; for (let n = 0; n < 2; n++) got.push(typeof await waitForSignal("go")); return got;';
  const { id } = await stage.create(script);
  await stage.runs().signal(id, 'go');
  await stage.runs().signal(id, 'go', null);
  expect((await stage.runs().wait(id)).output).toEqual(['undefined', 'object']);
});

test('a signal sent twice with one key reaches the script once', async () => {
  const { id } = await stage.create(take(2));
  await stage.runs().signal(id, 'go', 'first', { idempotencyKey: 'k' });
  await stage.runs().signal(id, 'go', 'first', { idempotencyKey: 'k' });
  await stage.runs().signal(id, 'go', 'second', { idempotencyKey: 'l' });
  expect((await stage.runs().wait(id)).output).toEqual(['first', 'second']);
});

test('waits of one name are served in their order, those of other names on their own', async () => {
  const script = `
    return await Promise.all([
      waitForSignal("a"), waitForSignal("a"), waitForSignal("b"), waitForSignal("a", { timeout: "1s" }),
    ]);`;
  const { id } = await stage.create(script);
  await stage.runs().signal(id, 'b', 'b1');
  await stage.runs().signal(id, 'a', 'a1');
  await stage.runs().signal(id, 'a', 'a2');
  expect((await stage.runs().wait(id)).output).toEqual(['a1', 'a2', 'b1', null]);
});

test('a wait whose time is over gives undefined, and a signal after that is for the next wait', async () => {
  const script = `
    const first = await waitForSignal("go", { timeout: "200ms" });
    await waitForSignal("ready");
    return [first === undefined, await waitForSignal("go", { timeout: "30s" })];`;
  const { id } = await stage.create(script);
  for (;;) {
    const { waitingFor } = await stage.runs().retrieve(id, { wait: '1s' });
    if (waitingFor.some((wait) => wait.kind === 'signal' && wait.name === 'ready')) break;
  }
  await stage.runs().signal(id, 'go', 'late');
  await stage.runs().signal(id, 'ready');
  expect((await stage.runs().wait(id)).output).toEqual([true, 'late']);
});

test('a signal that comes with many others is not lost', async () => {
  const { id } = await stage.create(take(40));
  await Promise.all(Array.from({ length: 40 }, (_, n) => stage.runs().signal(id, 'go', n)));
  const { output } = await stage.runs().wait(id);
  expect((output as number[]).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 40 }, (_, n) => n),
  );
});

test('a run that has ended takes none, and says so', async () => {
  const { id } = await stage.run('return 1;');
  await expect(stage.runs().signal(id, 'go')).rejects.toBeInstanceOf(RunEndedError);
});

test('a payload over the limit is refused', async () => {
  const { id } = await stage.create(take(1));
  const sent = stage.runs().signal(id, 'go', 'x'.repeat(300_000));
  await expect(sent).rejects.toBeInstanceOf(TooLargeError);
  await stage.runs().cancel(id);
});
