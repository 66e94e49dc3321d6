import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Run } from '@rewind.codes/sdk';
import type { Task } from '@rewind.codes/sdk/protocol';
import { openTheatre, type Theatre } from '../integration/host-tools/theatre';
import { eventually } from '../support/eventually';

const MINUTE = 60_000;
const OPEN = 1000;
const ANSWERERS = 4;
const CLAIMS_EACH = 15;

// Answers come as fast as plain HTTP clients can send them, from several at once, while the run ends.
let theatre: Theatre;
let toolset: string;
let stopped = false;
/** When the claim that brought a task was sent, and whose call it was. */
const handed: { runId: string; asked: number; at: number }[] = [];
const answered = new Map<string, number>();
const answering: Promise<void>[] = [];

beforeAll(async () => {
  theatre = await openTheatre();
  toolset = await theatre.declare({ 'stream.next': {} });
  for (let i = 0; i < ANSWERERS; i++) {
    const worker = randomUUID();
    for (let k = 0; k < CLAIMS_EACH; k++) answering.push(answer(worker));
  }
}, 2 * MINUTE);
afterAll(async () => {
  stopped = true;
  await Promise.all(answering);
  await theatre.stop();
}, MINUTE);

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${theatre.rewind.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${theatre.rewind.apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

async function answer(worker: string): Promise<void> {
  while (!stopped) {
    const asked = Date.now();
    const claim = { tools: ['stream.next'], wait: '2s', worker, slots: CLAIMS_EACH };
    const response = await post('/v1/tasks/claim', claim);
    if (!response.ok) throw new Error(`a claim was answered ${response.status}`);
    const { task } = (await response.json()) as { task: Task | null };
    if (!task) continue;
    handed.push({ runId: task.runId, asked, at: Date.now() });
    const reply = await post('/v1/tasks/complete', { token: task.token, result: task.seq });
    if (reply.ok) answered.set(task.runId, (answered.get(task.runId) ?? 0) + 1);
    await reply.arrayBuffer();
  }
}

/** A thousand loops, each with a call open at all times, whatever is answered. */
const script = (end: string) => `
  let count = 0;
  const loop = async () => {
    for (;;) { try { await stream.next({}); count += 1; } catch {} }
  };
  for (let i = 0; i < ${OPEN}; i++) void loop();
  ${end}`;

const streaming = (id: string) =>
  eventually(() => (answered.get(id) ?? 0) > 200, { within: MINUTE });

/** Nothing of the run is handed to a claim that is sent once it has ended. */
async function nothingMore(run: Run): Promise<void> {
  const ended = Date.parse(run.endedAt!);
  await sleep(5000);
  const late = handed.filter(({ runId, asked }) => runId === run.id && asked > ended);
  const last = Math.max(...handed.filter(({ runId }) => runId === run.id).map(({ at }) => at));
  process.stdout.write(
    `${answered.get(run.id)} answered, the last handed out ${last - ended} ms after the end\n`,
  );
  expect(late.map(({ asked }) => asked - ended)).toEqual([]);
}

test(
  'FC-20: the time to live ends a run with 1,000 calls open and answers streaming in, within 2 s',
  async () => {
    const body = script('await waitForSignal("never");');
    const { id, createdAt } = await theatre.runs().create({ script: body, toolset, ttl: '15s' });
    await streaming(id);
    const run = await theatre.runs().wait(id);
    const late = Date.parse(run.endedAt!) - Date.parse(createdAt) - 15_000;
    process.stdout.write(`time to live: ended ${late} ms late; `);
    expect(run).toMatchObject({ state: 'expired', error: { message: 'expired after 15s' } });
    expect(late).toBeGreaterThanOrEqual(-10);
    await nothingMore(run);
    expect(late).toBeLessThan(2000);
  },
  3 * MINUTE,
);

test(
  'a cancel ends a run with 1,000 calls open and answers streaming in, within 2 s',
  async () => {
    const body = script('await waitForSignal("never");');
    const { id } = await theatre.runs().create({ script: body, toolset });
    await streaming(id);
    const asked = Date.now();
    const run = await theatre.runs().cancel(id, { reason: 'enough' });
    const late = Date.parse(run.endedAt!) - asked;
    process.stdout.write(`cancel: ended after ${late} ms; `);
    expect(run).toMatchObject({ state: 'canceled', error: { message: 'canceled: enough' } });
    await nothingMore(run);
    expect(late).toBeLessThan(2000);
  },
  3 * MINUTE,
);

test(
  'a script that returns ends with 1,000 calls open and answers streaming in, within 2 s',
  async () => {
    const body = script('await waitForSignal("over"); return "over";');
    const { id } = await theatre.runs().create({ script: body, toolset });
    await streaming(id);
    const asked = Date.now();
    await theatre.runs().signal(id, 'over');
    const run = await theatre.runs().wait(id);
    const late = Date.parse(run.endedAt!) - asked;
    process.stdout.write(`completion: ended after ${late} ms; `);
    expect(run).toMatchObject({ state: 'completed', output: 'over' });
    await nothingMore(run);
    expect(late).toBeLessThan(2000);
  },
  3 * MINUTE,
);
