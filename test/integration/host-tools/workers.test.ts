import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthenticationError } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startTcpProxy } from '../../support/tcp-proxy';
import { gate, openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.stop());

const requestsTo =
  (part: string, seen: number[]): typeof fetch =>
  (url, init) => {
    if (String(url instanceof Request ? url.url : url).includes(part)) seen.push(Date.now());
    return fetch(url, init);
  };

test('HT-04, HT-11, HT-74: an idle worker claims at once and holds its requests open for pollWait', async () => {
  const claims: number[] = [];
  const worker = theatre.rewind.client({ fetch: requestsTo('/claim', claims) }).worker({
    tools: { 'idle.tool': () => 1 },
    concurrency: 1,
    pollWait: '2s',
  });
  await eventually(() => claims.length === 1, { within: 2000 });
  await eventually(() => claims.length === 3, { within: 10_000 });
  expect((claims[2] ?? 0) - (claims[0] ?? 0)).toBeGreaterThanOrEqual(3800);
  await worker.stop();
});

test('HT-69: a worker claims only calls of its tools; the others stay for workers that have them', async () => {
  const toolset = await theatre.declare({ 'some.a': {}, 'some.b': {} });
  const got: string[] = [];
  theatre.worker({ 'some.a': () => got.push('a') });
  const run = await theatre
    .runs()
    .create({ toolset, script: 'await Promise.all([some.a({}), some.b({})]); return 1' });
  await eventually(async () => {
    const seen = await theatre.runs().retrieve(run.id);
    return seen.state === 'waiting' && seen.waitingFor.length === 1 && got.length === 1;
  });
  theatre.worker({ 'some.b': () => got.push('b') });
  expect((await theatre.runs().wait(run.id, { signal: AbortSignal.timeout(20_000) })).output).toBe(
    1,
  );
  expect(got).toEqual(['a', 'b']);
});

test('HT-12, HT-70, HT-71: with toolset, calls of its runs only; without, of every toolset, also a later one', async () => {
  const first = await theatre.declare({ 'which.tool': {}, 'which.first': {} });
  const bound: string[] = [];
  theatre.worker({ 'which.tool': (_input, ctx) => bound.push(ctx.runId) }, { toolset: first });
  const one = await theatre.run(first, 'await which.tool({}); return 1');
  expect(bound).toEqual([one.id]);
  const later = await theatre.declare({ 'which.tool': {}, 'which.later': {} });
  const other = await theatre
    .runs()
    .create({ toolset: later, script: 'await which.tool({}); return 2' });
  await eventually(async () => (await theatre.runs().retrieve(other.id)).state === 'waiting');
  const free: string[] = [];
  theatre.worker({ 'which.tool': (_input, ctx) => free.push(ctx.runId) });
  expect(
    (await theatre.runs().wait(other.id, { signal: AbortSignal.timeout(20_000) })).output,
  ).toBe(2);
  expect(bound).toEqual([one.id]);
  expect(free).toEqual([other.id]);
  const third = await theatre.declare({ 'which.tool': {}, 'which.third': {} });
  expect((await theatre.run(third, 'await which.tool({}); return 3')).output).toBe(3);
});

test('HT-22: a worker of one end user claims only the calls of that user’s runs', async () => {
  const toolset = await theatre.declare({ 'mine.tool': {} });
  const got: string[] = [];
  const worker = theatre.client.namespace('ada').worker({
    tools: { 'mine.tool': (_input, ctx) => got.push(ctx.namespace) },
    pollWait: '2s',
  });
  const foreign = await theatre
    .runs('bob')
    .create({ toolset, script: 'await mine.tool({}); return 1' });
  expect(
    (await theatre.run(toolset, 'await mine.tool({}); return 2', { namespace: 'ada' })).output,
  ).toBe(2);
  await eventually(
    async () => (await theatre.runs('bob').retrieve(foreign.id)).state === 'waiting',
  );
  expect(got).toEqual(['ada']);
  await worker.stop();
  await theatre.runs('bob').cancel(foreign.id);
});

test('HT-72: at most so many handlers run at once, ten by default', async () => {
  const toolset = await theatre.declare({ 'many.three': {}, 'many.ten': {} });
  const peak = { three: 0, ten: 0 };
  const now = { three: 0, ten: 0 };
  const handler = (key: 'three' | 'ten') => async () => {
    now[key] += 1;
    peak[key] = Math.max(peak[key], now[key]);
    await sleep(1000);
    now[key] -= 1;
  };
  theatre.worker({ 'many.three': handler('three') }, { concurrency: 3 });
  theatre.worker({ 'many.ten': handler('ten') });
  const fan = (tool: string, count: number) =>
    `await Promise.all(Array.from({ length: ${count} }, () => many.${tool}({}))); return 1`;
  await Promise.all([theatre.run(toolset, fan('three', 6)), theatre.run(toolset, fan('ten', 15))]);
  expect(peak).toEqual({ three: 3, ten: 10 });
});

test('HT-73: with concurrency 1 queued calls lose no lease while they wait', async () => {
  const toolset = await theatre.declare({ 'queue.tool': { lease: '1s' } });
  const attempts: number[] = [];
  theatre.worker(
    {
      'queue.tool': async (_input, { attempt }) => {
        attempts.push(attempt);
        await sleep(700);
      },
    },
    { concurrency: 1 },
  );
  await theatre.run(
    toolset,
    'await Promise.all([1, 2, 3, 4, 5].map((n) => queue.tool({ n }))); return 1',
  );
  expect(attempts).toEqual([1, 1, 1, 1, 1]);
});

test('HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call', async () => {
  const toolset = await theatre.declare({ 'stop.tool': { lease: '2s' } });
  const entered: string[] = [];
  const release = gate();
  const handler =
    (name: string) =>
    async (_input: unknown, { attempt }: { attempt: number }) => {
      entered.push(`${name} ${attempt}`);
      if (entered.length <= 2) await release.opened;
      return name;
    };
  const worker = theatre.worker({ 'stop.tool': handler('first') }, { concurrency: 3 });
  const runs = theatre.runs();
  const two = await runs.create({
    toolset,
    script: 'return await Promise.all([stop.tool({}), stop.tool({})])',
  });
  await eventually(() => entered.length === 2);
  const stopping = worker.stop();
  expect(worker.stop()).toBe(stopping);
  const third = await runs.create({ toolset, script: 'return await stop.tool({})' });
  theatre.worker({ 'stop.tool': handler('second') });
  const ended = await runs.wait(third.id, { signal: AbortSignal.timeout(10_000) });
  expect(['first', 'second']).toContain(ended.output);
  release.open();
  await stopping;
  await worker.done;
  expect((await runs.wait(two.id)).output).toEqual(['first', 'first']);
  expect(entered.every((line) => line.endsWith(' 1'))).toBe(true);
});

test('HT-75, HT-76: an idle worker stops within pollWait, by stop() or by its signal', async () => {
  const started = Date.now();
  const controller = new AbortController();
  const byCall = theatre.worker({ 'quiet.a': () => 1 }, { pollWait: '5s' });
  const bySignal = theatre.worker(
    { 'quiet.b': () => 1 },
    { pollWait: '5s', signal: controller.signal },
  );
  await sleep(300);
  controller.abort();
  await Promise.all([byCall.stop(), bySignal.done]);
  expect(Date.now() - started).toBeLessThan(6000);
});

test('HT-78: a refused key stops the worker, and done rejects', async () => {
  const errors: unknown[] = [];
  const worker = theatre.rewind.client({ apiKey: `rw_${'0'.repeat(43)}` }).worker({
    tools: { 'refused.tool': () => 1 },
    pollWait: '2s',
    onError: (error, { during }) => errors.push([during, error]),
  });
  await expect(worker.done).rejects.toBeInstanceOf(AuthenticationError);
  expect(errors).toEqual([['claim', expect.any(AuthenticationError)]]);
});

test('HT-79: any other failure is reported and retried, and the worker goes on', async () => {
  const toolset = await theatre.declare({ 'proxy.tool': { lease: '5s' } });
  const proxy = await startTcpProxy(Number(new URL(theatre.rewind.url).port));
  const errors: string[] = [];
  const held = gate();
  const worker = theatre.rewind.client({ baseURL: `http://127.0.0.1:${proxy.port}` }).worker({
    pollWait: '2s',
    onError: (_error, { during }) => errors.push(during),
    tools: {
      'proxy.tool': async () => {
        await held.opened;
        return 'through';
      },
    },
  });
  const run = await theatre.runs().create({ toolset, script: 'return await proxy.tool({})' });
  await eventually(async () => {
    const [wait] = (await theatre.runs().retrieve(run.id)).waitingFor;
    return wait?.kind === 'tool' && wait.state === 'claimed';
  });
  proxy.refuse();
  await eventually(() => errors.includes('claim'));
  held.open();
  await sleep(500);
  proxy.restore();
  const ended = await theatre.runs().wait(run.id, { signal: AbortSignal.timeout(30_000) });
  expect(ended.output).toBe('through');
  const again = await theatre.run(toolset, 'return await proxy.tool({})');
  expect(again.output).toBe('through');
  await worker.stop();
  await proxy.close();
});

test('no request of a worker carries a key or a token in its address', async () => {
  const toolset = await theatre.declare({ 'address.tool': {} });
  const urls: string[] = [];
  const worker = theatre.rewind
    .client({
      fetch: (url, init) => {
        urls.push(String(url instanceof Request ? url.url : url));
        return fetch(url, init);
      },
    })
    .worker({ tools: { 'address.tool': () => 1 }, pollWait: '2s' });
  await theatre.run(toolset, 'return await address.tool({})');
  await worker.stop();
  for (const url of urls)
    expect(url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/v1\/(tasks\/(claim|heartbeat|complete)|workers\/leave)$/,
    );
});
