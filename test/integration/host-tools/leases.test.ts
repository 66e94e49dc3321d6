import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { gate, openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.stop());

test('HT-06, HT-49: a handler that takes several leases keeps its claim, and is entered once', async () => {
  const toolset = await theatre.declare({
    'lease.long': { lease: '1s' },
    'lease.once': { lease: '1s', policy: 'at_most_once' },
  });
  let entered = 0;
  const long = async () => {
    entered += 1;
    await sleep(3500);
    return 'kept';
  };
  theatre.worker({ 'lease.long': long, 'lease.once': long });
  const { output } = await theatre.run(
    toolset,
    'return await Promise.all([lease.long({}), lease.once({})])',
  );
  expect(output).toEqual(['kept', 'kept']);
  expect(entered).toBe(2);
});

test('HT-48, HT-55: the lease is 60 seconds and the policy retry where a tool says nothing', async () => {
  const toolset = await theatre.declare({ 'plain.see': {} });
  const { url, apiKey } = theatre.rewind;
  const run = await theatre.runs().create({
    toolset,
    script: 'await plain.see({})',
  });
  const task = await eventually(async () => {
    const response = await fetch(`${url}/v1/tasks/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tools: ['plain.see'], wait: '2s', worker: 'worker_by_hand' }),
    });
    return ((await response.json()) as { task: Record<string, unknown> | null }).task;
  });
  expect(task).toMatchObject({
    tool: 'plain.see',
    runId: run.id,
    leaseMs: 60_000,
    policy: 'retry',
    attempt: 1,
  });
  await theatre.runs().cancel(run.id);
});

test('HT-30, HT-32, HT-33, FC-20: the signal is aborted when the run has ended, and the result is dropped', async () => {
  const toolset = await theatre.declare({ 'signal.wait': { lease: '1s' } });
  const errors: unknown[] = [];
  const aborted = gate<number>();
  theatre.worker(
    {
      'signal.wait': async (_input, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted.open(Date.now());
        return 'too late';
      },
    },
    { onError: (error) => errors.push(error) },
  );
  const run = await theatre.runs().create({
    toolset,
    script: 'while (true) { try { await signal.wait({}) } catch {} }',
  });
  await eventually(async () => {
    const { waitingFor } = await theatre.runs().retrieve(run.id);
    return waitingFor.some((wait) => wait.kind === 'tool' && wait.state === 'claimed');
  });
  const canceledAt = Date.now();
  const ended = await theatre.runs().cancel(run.id, { reason: 'no longer needed' });
  expect(ended).toMatchObject({
    state: 'canceled',
    error: { message: 'canceled: no longer needed' },
  });
  expect((await aborted.opened) - canceledAt).toBeLessThan(5000);
  await sleep(100);
  expect(errors).toEqual([]);
  const [call] = (await theatre.runs().trace(run.id)).data;
  expect(call?.state).toBe('dropped');
});

test('HT-31, HT-50, FC-06: a handler that blocks its own heartbeats loses the claim; another attempt is given the call', async () => {
  // The block is that of heartbeats alone: a blocked event loop would stop the second worker, in this process, as well.
  const toolset = await theatre.declare({
    'block.retry': { lease: '1s' },
    'block.once': { lease: '1s', policy: 'at_most_once' },
  });
  const entered: string[] = [];
  const signals: boolean[] = [];
  let heartbeats = true;
  const deaf: typeof fetch = (url, init) =>
    !heartbeats && String(url instanceof Request ? url.url : url).includes('heartbeat')
      ? Promise.reject(new TypeError('fetch failed'))
      : fetch(url, init);
  const handler = async (
    _input: unknown,
    ctx: { attempt: number; idempotencyKey: string; signal: AbortSignal },
  ) => {
    entered.push(`${ctx.idempotencyKey} ${ctx.attempt}`);
    if (ctx.attempt > 1) return 'second';
    // Not before both are acknowledged: an unacknowledged at_most_once call is simply delivered again.
    await eventually(() => entered.length >= 2);
    heartbeats = false;
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    signals.push(ctx.signal.aborted);
    return 'first, too late';
  };
  const lame = theatre.rewind.client({ fetch: deaf, maxRetries: 0 }).worker({
    tools: { 'block.retry': handler, 'block.once': handler },
    pollWait: '2s',
    concurrency: 2,
    onError: () => undefined,
  });
  const run = await theatre.runs().create({
    toolset,
    script: `const once = block.once({}).catch((e: any) => [e.code, e.outcomeUnknown]);
      return [await block.retry({}), await once]`,
  });
  await eventually(() => entered.length >= 2);
  theatre.worker({ 'block.retry': handler, 'block.once': handler });
  const ended = await theatre.runs().wait(run.id, { signal: AbortSignal.timeout(30_000) });
  expect(ended.output).toEqual(['second', ['outcome_unknown', true]]);
  heartbeats = true;
  await lame.stop();
  expect(signals).toEqual([true, true]);
  expect(entered.filter((line) => line.endsWith(' 2'))).toHaveLength(1);
  expect(new Set(entered.map((line) => line.split(' ')[0])).size).toBe(2);
  const trace = (await theatre.runs().trace(run.id)).data;
  expect(trace.map(({ tool, state, attempt }) => [tool, state, attempt]).sort()).toEqual([
    ['block.once', 'failed', 1],
    ['block.retry', 'completed', 2],
  ]);
});

test('HT-35: ctx.heartbeat() sends a heartbeat at once', async () => {
  const toolset = await theatre.declare({ 'beat.now': {} });
  let beats = 0;
  const counting: typeof fetch = (url, init) => {
    if (String(url instanceof Request ? url.url : url).includes('heartbeat')) beats += 1;
    return fetch(url, init);
  };
  const seen: number[] = [];
  const worker = theatre.rewind.client({ fetch: counting }).worker({
    pollWait: '2s',
    tools: {
      'beat.now': async (_input, ctx) => {
        await ctx.heartbeat();
        const before = beats;
        await ctx.heartbeat();
        seen.push(beats - before);
      },
    },
  });
  expect((await theatre.run(toolset, 'await beat.now({}); return 1')).output).toBe(1);
  expect(seen).toEqual([1]);
  await worker.stop();
});

test('a tool’s timeout ends one delivery: again under retry, unknown under at_most_once', async () => {
  const toolset = await theatre.declare({
    'limit.retry': { timeout: '1s' },
    'limit.once': { timeout: '1s', policy: 'at_most_once' },
  });
  const handler = async (
    _input: unknown,
    { attempt, signal }: { attempt: number; signal: AbortSignal },
  ) => {
    if (attempt > 1) return attempt;
    await Promise.race([
      sleep(20_000, undefined, { ref: false }),
      new Promise((resolve) => signal.addEventListener('abort', resolve)),
    ]);
    return 'too late';
  };
  theatre.worker({ 'limit.retry': handler, 'limit.once': handler });
  const { output } = await theatre.run(
    toolset,
    'return await Promise.all([limit.retry({}), limit.once({}).catch((e: any) => [e.code, e.outcomeUnknown])])',
  );
  expect(output).toEqual([2, ['timed_out', true]]);
});

test('HT-15: ctx.signal can be passed on to fetch, which ends with the run', async () => {
  const toolset = await theatre.declare({ 'pass.on': { lease: '1s' } });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const failed = gate<unknown>();
  theatre.worker({
    'pass.on': (_input, { signal }) =>
      fetch(`http://127.0.0.1:${port}/`, { signal }).catch((error: unknown) => failed.open(error)),
  });
  const run = await theatre.runs().create({ toolset, script: 'await pass.on({})' });
  await eventually(async () => {
    const [wait] = (await theatre.runs().retrieve(run.id)).waitingFor;
    return wait?.kind === 'tool' && wait.state === 'claimed';
  });
  await theatre.runs().cancel(run.id);
  expect(await failed.opened).toBeInstanceOf(Error);
  silent.closeAllConnections();
  silent.close();
});
