import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from './stage';

// Runs go on with a script worker that never saw them, with their locals intact.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const until = (id: string, kind: string) =>
  eventually(async () => {
    const { waitingFor } = await stage.runs().retrieve(id);
    return waitingFor.some((wait) => wait.kind === kind);
  });

test('a run keeps its locals over calls, sleeps and signals, with a restart in each', async () => {
  const script = `
    class Counter { #n = 0; add(n: number) { this.#n += n; return this; } get n() { return this.#n; } }
    const counter = new Counter();
    const seen: unknown[] = [];
    for (const [index, word] of ["a", "b"].entries()) {
      const add = (n: number) => counter.add(n).n;
      seen.push(await work.slow(), add(index + 1));
      await sleep("2s");
      const { value } = await echo({ value: word });
      seen.push(value ?? word, await waitForSignal("go"));
    }
    return { seen, n: counter.n };`;
  const { id } = await stage.create(script);
  for (const word of ['a', 'b']) {
    await until(id, 'tool');
    await stage.rewind.restartScriptWorker();
    await stage.finishSlow(id);
    await until(id, 'sleep');
    await stage.rewind.restartScriptWorker();
    await until(id, 'signal');
    await stage.rewind.restartScriptWorker();
    await stage.runs().signal(id, 'go', `${word}!`);
    // The second round has its own slow call.
    await eventually(async () => {
      const { calls, state } = await stage.runs().retrieve(id);
      return calls === 3 || state === 'completed';
    });
  }
  expect(await stage.runs().wait(id)).toMatchObject({
    state: 'completed',
    output: { seen: ['slowly', 1, 'a', 'a!', 'slowly', 3, 'b', 'b!'], n: 3 },
    calls: 4,
  });
});

test('parallel branches settle in the same order after a restart', async () => {
  const script = `
    const order: string[] = [];
    const note = async (name: string, work: Promise<unknown>) => { await work; order.push(name); };
    const race = Promise.race([work.slow(), echo({ value: "fast" })]);
    await Promise.all([
      note("slept", sleep("300ms")),
      note("echo", echo({ value: 1 })),
      note("race", race),
      note("any", Promise.any([work.fail({ message: "no" }), echo({ value: 2 })])),
    ]);
    console.log(order.join());
    await waitForSignal("go");
    return order;`;
  const { id } = await stage.create(script);
  await until(id, 'signal');
  const before = await eventually(async () => (await stage.runs().log(id)).text);
  await stage.rewind.restartScriptWorker();
  await stage.runs().signal(id, 'go');
  const run = await stage.runs().wait(id);
  expect(run.state).toBe('completed');
  expect(`${(run.output as string[]).join()}\n`).toBe(before);
});

test('what a run knows is read from its history while no script worker is up', async () => {
  const { id } = await stage.create('await echo({ value: 1 }); await waitForSignal("go");');
  await until(id, 'signal');
  const finished = await stage.run('console.log("hello"); return await echo({ value: "é" });');
  await stage.rewind.withoutScriptWorker(async () => {
    const runs = stage.runs();
    expect(await runs.retrieve(finished.id)).toEqual(finished);
    expect((await runs.output(finished.id)).text).toBe('é');
    expect((await runs.log(finished.id)).text).toBe('hello\n');
    expect((await runs.trace(id)).data).toMatchObject([{ seq: 1, state: 'completed', result: 1 }]);
    expect(await runs.retrieve(id)).toMatchObject({
      state: 'waiting',
      waitingFor: [{ kind: 'signal', name: 'go' }],
    });
    // A cancel does not wait for one to come back.
    const asked = Date.now();
    const canceled = await runs.cancel(id, { reason: 'nobody there' });
    expect(Date.now() - asked).toBeLessThan(4000);
    expect(canceled).toMatchObject({
      state: 'canceled',
      error: { message: 'canceled: nobody there' },
    });
    expect(Date.parse(canceled.endedAt!) - asked).toBeLessThan(2500);
    const created = await stage.create('return 1;');
    expect(created.state).toBe('running');
    await runs.cancel(created.id);
  });
  expect(await stage.run('return 2;')).toMatchObject({ output: 2 });
});
