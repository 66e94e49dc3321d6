import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from '@jest/globals';
import { Rewind } from '../../../sdk/index';
import { eventually } from '../../support/eventually';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { gate, openTheatre, type Theatre } from '../host-tools/theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 60_000);
afterAll(() => theatre.stop());

let proxy: TcpProxy;
/** Its connection can be made to lose what the gateway says. */
let shaky: Rewind;
beforeEach(async () => {
  proxy = await startTcpProxy(Number(new URL(theatre.rewind.url).port));
  shaky = new Rewind({
    apiKey: theatre.rewind.apiKey,
    baseURL: `http://127.0.0.1:${proxy.port}`,
    maxRetries: 5,
  });
});
afterEach(() => proxy.close());

/** One request by hand, whose body is `{token, …}`. */
async function say(path: string, body: unknown): Promise<{ status: number; code?: string }> {
  const response = await fetch(`${theatre.rewind.url}/v1/tasks/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${theatre.rewind.apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  return { status: response.status, ...(error ? { code: error.code } : {}) };
}

async function claim(tools: string[]) {
  return eventually(async () => {
    const response = await fetch(`${theatre.rewind.url}/v1/tasks/claim`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${theatre.rewind.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ tools, wait: '5s', worker: `by_hand_${tools[0]?.replace('.', '_')}` }),
    });
    const { task } = (await response.json()) as { task: { token: string; attempt: number } | null };
    return task;
  });
}

test('FC-03: the report of a worker that is lost on the wire is repeated; the handler is entered once, the first value counts', async () => {
  const toolset = await theatre.declare({ 'lost.work': { policy: 'at_most_once' } });
  const ready = gate();
  let entered = 0;
  const worker = shaky.worker({
    pollWait: '2s',
    onError: () => undefined,
    tools: {
      'lost.work': async () => {
        entered += 1;
        await ready.opened;
        return 'first';
      },
    },
  });
  const { id } = await theatre.runs().create({ toolset, script: 'return await lost.work({});' });
  await eventually(() => entered === 1);
  proxy.loseResponses(3);
  ready.open();
  expect((await theatre.runs().wait(id)).output).toBe('first');
  await worker.stop();
  expect(entered).toBe(1);
}, 60_000);

test('FC-03: an answer that is sent again, by whomever, harms nothing and is never a fault of the server', async () => {
  const toolset = await theatre.declare({ 'lost.twice': {} });
  const { id } = await theatre.runs().create({
    toolset,
    script: 'const v = await lost.twice({}); await waitForSignal("end"); return v;',
  });
  const { token } = await claim(['lost.twice']);
  expect((await say('complete', { token, result: 'first' })).status).toBe(200);
  for (const [path, body] of [
    ['complete', { token, result: 'first' }],
    ['complete', { token, result: 'other' }],
    ['fail', { token, error: { message: 'no' } }],
    ['defer', { token }],
    ['release', { token }],
  ] as const) {
    const { status, code } = await say(path, body);
    expect([path, status, code]).toEqual([path, 409, 'claim_lost']);
  }
  await theatre.runs().signal(id, 'end');
  expect((await theatre.runs().wait(id)).output).toBe('first');
}, 60_000);

test('FC-03: a reply to defer that is lost is asked for again, and the token is worth the same', async () => {
  const toolset = await theatre.declare({ 'lost.later': {} });
  const tokens: string[] = [];
  const worker = shaky.worker({
    pollWait: '2s',
    onError: () => undefined,
    tools: {
      'lost.later': async (_input, ctx) => {
        proxy.loseResponses(2);
        tokens.push((await ctx.defer()).token);
      },
    },
  });
  const { id } = await theatre.runs().create({ toolset, script: 'return await lost.later({});' });
  const token = await eventually(() => tokens[0], { within: 20_000 });
  proxy.loseResponses(2);
  await shaky.tasks.complete(token, 'later');
  expect((await theatre.runs().wait(id)).output).toBe('later');
  await worker.stop();
}, 60_000);

test('a claim whose lease was lost can harm nobody: what it says late leaves the next worker alone', async () => {
  const toolset = await theatre.declare({ 'lost.lease': { lease: '1s' } });
  const { id } = await theatre.runs().create({ toolset, script: 'return await lost.lease({});' });
  const first = await claim(['lost.lease']);
  const second = await claim(['lost.lease']);
  expect([first.attempt, second.attempt]).toEqual([1, 2]);
  const late = [
    ['complete', { token: first.token, result: 'late' }],
    ['fail', { token: first.token, error: { message: 'late' } }],
    ['defer', { token: first.token }],
    ['release', { token: first.token }],
  ] as const;
  for (const [path, body] of late) {
    expect([path, (await say(path, body)).status]).toEqual([path, 409]);
  }
  // Heartbeats that come twice, and out of order, keep it all the same.
  for (const begun of [true, true, false, true]) {
    const beat = await say('heartbeat', {
      worker: 'by_hand_lost_lease',
      tasks: [{ token: second.token, begun }],
    });
    expect(beat.status).toBe(200);
  }
  expect((await say('complete', { token: second.token, result: 'in time' })).status).toBe(200);
  expect((await theatre.runs().wait(id)).output).toBe('in time');
}, 60_000);
