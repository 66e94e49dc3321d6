import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { releasesOf } from '../../support/releases';
import { startSecondGateway, type SecondGateway } from '../../support/second-gateway';
import { gate, openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
let second: SecondGateway;
beforeAll(async () => {
  theatre = await openTheatre();
  second = await startSecondGateway(theatre.rewind);
});
afterAll(async () => {
  await theatre.stop();
  await second.stop();
});

const live = async (tool: string) => {
  const { store } = theatre.rewind.system;
  const groups = await store.liveGroups({ tools: [tool], since: new Date(Date.now() - 45_000) });
  return groups.length;
};

test('HT-72, HT-73: thirty tools, concurrency 1, two gateways: no worker has two calls, none is given back', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `thirty.t${n}`);
  const toolset = await theatre.declare(Object.fromEntries(names.map((name) => [name, {}])));
  const peaks = [0, 0, 0];
  const done = [0, 0, 0];
  const attempts = new Set<number>();
  const tools = (worker: number) => {
    let running = 0;
    return Object.fromEntries(
      names.map((name) => [
        name,
        async (_input: unknown, { attempt }: { attempt: number }) => {
          running += 1;
          peaks[worker] = Math.max(peaks[worker] ?? 0, running);
          attempts.add(attempt);
          await sleep(10);
          running -= 1;
          done[worker] = (done[worker] ?? 0) + 1;
        },
      ]),
    );
  };
  // One worker at each gateway, and one whose requests go to both in turn. The short wait makes claims
  // end empty, between the calls and in the pauses.
  const clients = [
    theatre.client,
    theatre.rewind.client({ baseURL: second.url }),
    theatre.rewind.client({ fetch: second.alternating }),
  ];
  const workers = clients.map((client, n) =>
    client.worker({ tools: tools(n), concurrency: 1, pollWait: '2s', onError: () => undefined }),
  );
  await eventually(async () => (await live('thirty.t0')) === 1);
  const script = `
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => tools['thirty.t' + (round * 10 + n) % 30]({})));
      await sleep((['1500ms', '2s', '2500ms', '1s'] as const)[round] ?? '1s');
    }`;
  const runs = await Promise.all(Array.from({ length: 5 }, () => theatre.run(toolset, script)));
  expect(runs.map(({ state }) => state)).toEqual(Array(5).fill('completed'));
  expect(done.reduce((sum, count) => sum + count, 0)).toBe(200);
  expect(peaks).toEqual([1, 1, 1]);
  expect([...attempts]).toEqual([1]);
  const ids = runs.map(({ id }) => id);
  expect(await releasesOf(theatre.rewind, ids)).toBe(0);
  await Promise.all(workers.map((worker) => worker.stop()));
}, 120_000);

test('a worker that told one gateway that it stops is gone for the other one too', async () => {
  const toolset = await theatre.declare({ 'gone.tool': { lease: '1s' }, 'gone.more': {} });
  const held = gate();
  let entered = 0;
  const worker = theatre.rewind.client({ fetch: second.alternating }).worker({
    tools: {
      'gone.tool': async () => {
        entered += 1;
        await held.opened;
        return 'held';
      },
    },
    concurrency: 3,
    pollWait: '30s',
  });
  const run = await theatre.runs().create({ toolset, script: 'return await gone.tool({})' });
  await eventually(() => entered === 1);
  const stopping = worker.stop();
  await eventually(async () => (await live('gone.tool')) === 0, { within: 5_000 });
  // Its heartbeats go on, to both.
  for (const until = Date.now() + 3_000; Date.now() < until; await sleep(100)) {
    expect(await live('gone.tool')).toBe(0);
  }
  held.open();
  expect((await theatre.runs().wait(run.id)).output).toBe('held');
  // The claims that wait at the gateway that was not told end with its next look at the directory.
  const begun = Date.now();
  await stopping;
  expect(Date.now() - begun).toBeLessThan(50_000);
});

test('a gateway that stops loses no call, and its workers go on at another one', async () => {
  const third = await startSecondGateway(theatre.rewind);
  const toolset = await theatre.declare({ 'moved.tool': { lease: '30s' } });
  let base = third.url;
  const worker = theatre.rewind
    .client({
      fetch: (url, init) =>
        fetch(
          String(url instanceof Request ? url.url : url).replace(theatre.rewind.url, base),
          init,
        ),
    })
    .worker({
      tools: {
        'moved.tool': async () => {
          await sleep(20);
          return 1;
        },
      },
      concurrency: 2,
      pollWait: '30s',
      onError: () => undefined,
    });
  const script = `
    let sum = 0;
    for (let n = 0; n < 20; n++) {
      sum += (await Promise.all(Array.from({ length: 5 }, () => moved.tool({})))).length;
    }
    return sum`;
  const begun = Date.now();
  const running = theatre.run(toolset, script);
  await sleep(1_000);
  base = theatre.rewind.url;
  await third.stop();
  expect((await running).output).toBe(100);
  // Sooner than any lease: nothing that a poll had brought was lost.
  expect(Date.now() - begun).toBeLessThan(55_000);
  await worker.stop();
});
