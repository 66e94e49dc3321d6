import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import type { Run } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { releasesOf } from '../../support/releases';
import { gate, openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.stop());

const liveGroups = () => theatre.rewind.system.store.allLiveGroups(new Date(Date.now() - 45_000));
const groupsWith = async (tool: string) =>
  (await liveGroups()).filter(({ tools }) => tools.includes(tool));
const wait = (id: string, namespace?: string) =>
  theatre.runs(namespace).wait(id, { signal: AbortSignal.timeout(30_000) });

test('calls that nobody serves go out within seconds when a worker comes', async () => {
  const toolset = await theatre.declare({ 'parked.tool': {} });
  const script = 'return await parked.tool({})';
  const runs: Run[] = [];
  for (let n = 0; n < 40; n += 1) runs.push(await theatre.runs().create({ toolset, script }));
  // A list asks no run: forty questions at once would keep the script worker from what it has to do.
  await eventually(async () => {
    const { data } = await theatre.runs().list({ state: 'waiting', limit: 200 });
    const waiting = new Set(data.map(({ id }) => id));
    return runs.every(({ id }) => waiting.has(id));
  });
  const came = Date.now();
  const entered: number[] = [];
  theatre.worker({ 'parked.tool': () => entered.push(Date.now() - came) });
  await Promise.all(runs.map(({ id }) => wait(id)));
  expect(entered).toHaveLength(40);
  expect(Math.max(...entered)).toBeLessThan(30_000);
});

test('a worker that stops leaves nothing behind: another group takes over its calls at once', async () => {
  const toolset = await theatre.declare({ 'left.tool': {}, 'left.first': {}, 'left.second': {} });
  const held = gate();
  const entered: string[] = [];
  const first = theatre.worker(
    {
      'left.first': () => 'first',
      'left.tool': async ({ n }: { n: number }) => {
        entered.push(`first ${n}`);
        await held.opened;
        return 'first';
      },
    },
    { concurrency: 1 },
  );
  const create = (n: number, before = '') =>
    theatre.runs().create({ toolset, script: `${before} return await left.tool({ n: ${n} })` });
  const one = await create(1);
  await eventually(() => entered.length === 1);
  // In the queue of the first group, and on the way there by routes that will be old.
  const queued = await Promise.all([create(2), create(3)]);
  const late = await create(4, 'await sleep("3s");');
  const second = theatre.worker({
    'left.second': () => 'second',
    'left.tool': ({ n }: { n: number }) => {
      entered.push(`second ${n}`);
      return 'second';
    },
  });
  await eventually(async () => (await groupsWith('left.second')).length === 1);
  const stopped = Date.now();
  const stopping = first.stop();
  for (const { id } of queued) expect((await wait(id)).output).toBe('second');
  expect(Date.now() - stopped).toBeLessThan(20_000);
  expect(await groupsWith('left.first')).toEqual([]);
  expect((await wait(late.id)).output).toBe('second');
  expect(Date.now() - stopped).toBeLessThan(30_000);
  held.open();
  await stopping;
  expect((await wait(one.id)).output).toBe('first');
  await second.stop();
});

test('a group that comes back ends the drain of its queue, and gets its calls', async () => {
  const toolset = await theatre.declare({ 'back.tool': {} });
  const script = 'return await back.tool({})';
  const away = theatre.worker({ 'back.tool': () => 'away' });
  expect((await theatre.run(toolset, script)).output).toBe('away');
  await away.stop();
  const { id } = await theatre.runs().create({ toolset, script });
  await eventually(async () => (await theatre.runs().retrieve(id)).state === 'waiting');
  theatre.worker({ 'back.tool': () => 'back' }, { concurrency: 2 });
  expect((await wait(id)).output).toBe('back');
  const fan = 'return await Promise.all(Array.from({ length: 20 }, () => back.tool({})))';
  const run = await theatre.run(toolset, fan);
  expect(run.output).toEqual(Array(20).fill('back'));
  expect(await releasesOf(theatre.rewind, [run.id])).toBe(0);
});

test('HT-69, HT-70, HT-22: no worker is handed a call that it does not accept', async () => {
  const tools = { 'picky.a': {}, 'picky.b': {} };
  const [bound, other] = [
    await theatre.declare({ ...tools, 'picky.bound': {} }),
    await theatre.declare({ ...tools, 'picky.other': {} }),
  ];
  const { key } = await theatre.client.keys.create({ name: 'red', labels: { team: 'red' } });
  const red = theatre.rewind.client({ apiKey: key });
  const toolsets = new Map<string, string>();
  const wrong: string[] = [];
  const calls = { free: 0, bound: 0, bob: 0, red: 0 };
  type Who = keyof typeof calls;
  const handler =
    (who: Who, tool: string, accepts: (run: string, namespace: string, team?: string) => boolean) =>
    (
      _input: unknown,
      ctx: { runId: string; namespace: string; labels: Record<string, string>; tool?: string },
    ) => {
      calls[who] += 1;
      if (!accepts(ctx.runId, ctx.namespace, ctx.labels['team'])) wrong.push(`${who} ${tool}`);
      return who;
    };
  theatre.worker({ 'picky.a': handler('free', 'a', () => true) });
  theatre.worker(
    {
      'picky.a': handler('bound', 'a', (run) => toolsets.get(run) === bound),
      'picky.b': handler('bound', 'b', (run) => toolsets.get(run) === bound),
    },
    { toolset: bound },
  );
  const extra = [
    theatre.client.namespace('bob').worker({
      tools: { 'picky.b': handler('bob', 'b', (_run, namespace) => namespace === 'bob') },
      pollWait: '2s',
    }),
    red.worker({
      tools: {
        'picky.a': handler('red', 'a', (_run, _namespace, team) => team === 'red'),
        'picky.b': handler('red', 'b', (_run, _namespace, team) => team === 'red'),
      },
      pollWait: '2s',
    }),
  ];
  const script = 'return await Promise.all([picky.a({}), picky.b({})])';
  const created = await Promise.all(
    Array.from({ length: 48 }, async (_, n) => {
      // A call of `b` has to have somebody: the bound toolset, bob's runs, or the red ones.
      const toolset = n % 4 === 0 ? bound : other;
      const namespace = n % 4 === 1 ? 'bob' : 'ada';
      const labels: Record<string, string> = n % 4 > 1 ? { team: 'red', n: String(n) } : {};
      const { id } = await theatre.runs(namespace).create({ toolset, script, labels });
      toolsets.set(id, toolset);
      return { id, namespace };
    }),
  );
  for (const { id, namespace } of created)
    expect((await wait(id, namespace)).state).toBe('completed');
  expect(wrong).toEqual([]);
  for (const count of Object.values(calls)) expect(count).toBeGreaterThan(0);
  await Promise.all(extra.map((worker) => worker.stop()));
});

test('HT-71: one worker without toolset serves a thousand toolsets, as one group', async () => {
  const name = `wide.tool${randomUUID().slice(0, 8)}`;
  const ids: string[] = [];
  for (let at = 0; at < 1000; at += 20) {
    ids.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          theatre.declare({ [name]: { description: `For user ${at + n}.` }, 'wide.more': {} }),
        ),
      )),
    );
  }
  expect(new Set(ids).size).toBe(1000);
  theatre.worker({ [name]: (_input, ctx) => ctx.runId });
  await eventually(async () => (await groupsWith(name)).length === 1);
  const before = (await liveGroups()).length;
  const picked = ids.filter((_, n) => n % 25 === 7);
  const runs = await Promise.all(
    picked.map((toolset) => theatre.run(toolset, `return await ${name}({})`)),
  );
  expect(runs).toHaveLength(40);
  for (const run of runs) expect(run.output).toBe(run.id);
  expect((await groupsWith(name)).length).toBe(1);
  expect((await liveGroups()).length).toBeLessThanOrEqual(before);
}, 120_000);

test('a call that nobody claimed in its time is routed anew', async () => {
  const toolset = await theatre.declare({ 'heal.tool': {}, 'heal.busy': {} });
  const held = gate();
  const attempts: number[] = [];
  const busy = theatre.worker(
    {
      'heal.tool': () => 'busy',
      'heal.busy': () => held.opened,
    },
    { concurrency: 1 },
  );
  const blocker = await theatre.runs().create({ toolset, script: 'await heal.busy({})' });
  await eventually(async () => {
    const [call] = (await theatre.runs().retrieve(blocker.id)).waitingFor;
    return call?.kind === 'tool' && call.state === 'claimed';
  });
  const { id } = await theatre.runs().create({ toolset, script: 'return await heal.tool({})' });
  const { connection, client, namespace } = theatre.rewind.temporal;
  const deliveries = async () =>
    (await client.workflow.getHandle(id).describe()).raw.pendingActivities ?? [];
  await eventually(async () => (await deliveries()).length === 1);
  theatre.worker({
    'heal.tool': (_input, { attempt }) => {
      attempts.push(attempt);
      return 'healed';
    },
  });
  await eventually(async () => (await groupsWith('heal.tool')).length === 2);
  // The hour of this one delivery passes now.
  await connection.workflowService.updateActivityOptions({
    namespace,
    execution: { workflowId: id },
    id: '1.1',
    activityOptions: { scheduleToStartTimeout: { seconds: 1 as never } },
    updateMask: { paths: ['schedule_to_start_timeout'] },
  });
  const ended = await wait(id);
  const { events } = await client.workflow.getHandle(id).fetchHistory();
  const timeouts = (events ?? []).map(
    (event) => event.activityTaskTimedOutEventAttributes?.failure?.timeoutFailureInfo?.timeoutType,
  );
  expect(timeouts).toContain(temporal.api.enums.v1.TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START);
  expect(ended.output).toBe('healed');
  expect(attempts).toEqual([1]);
  held.open();
  await wait(blocker.id);
  await busy.stop();
});
