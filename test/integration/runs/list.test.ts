import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BadRequestError, type ListRunsParams, type RunState } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** Ids of all pages: the index is up to date a moment after the run. */
async function idsOf(namespace: string, params: ListRunsParams = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of await stage.runs(namespace).list(params)) ids.push(id);
  return ids;
}

test('pages of three give each of seven runs once, newest first', async () => {
  const created: string[] = [];
  for (let n = 0; n < 7; n += 1) {
    const run = await stage.run('return input;', { input: n }, 'pages');
    created.unshift(run.id);
  }
  await eventually(async () => (await idsOf('pages')).length === 7);
  const first = await stage.runs('pages').list({ limit: 3 });
  expect(first.data.map(({ id }) => id)).toEqual(created.slice(0, 3));
  const second = await stage.runs('pages').list({ limit: 3, cursor: first.nextCursor! });
  expect(second.data.map(({ id }) => id)).toEqual(created.slice(3, 6));
  const third = await stage.runs('pages').list({ limit: 3, cursor: second.nextCursor! });
  expect(third.data.map(({ id }) => id)).toEqual(created.slice(6));
  expect(third.nextCursor).toBeUndefined();
  expect(await idsOf('pages', { limit: 3 })).toEqual(created);
  expect(first.data[0]).toMatchObject({ state: 'completed', calls: 0, waitingFor: [] });
});

test('namespaces do not see each other', async () => {
  const mine = await stage.run('return 1;', {}, 'list-ada');
  const other = await stage.run('return 1;', {}, 'list-bob');
  await eventually(async () => (await idsOf('list-ada')).length === 1);
  await eventually(async () => (await idsOf('list-bob')).length === 1);
  expect(await idsOf('list-ada')).toEqual([mine.id]);
  expect(await idsOf('list-bob')).toEqual([other.id]);
  // A name that needs quoting, or is too long for the index, is a name like others.
  for (const name of ["o'hara' OR '1'='1", `${'x'.repeat(150)} ü`]) {
    const { id } = await stage.run('return 1;', {}, name);
    await eventually(async () => (await idsOf(name)).join() === id);
  }
});

test('states filter, and each run has one', async () => {
  const scripts: Record<Exclude<RunState, 'running'>, string> = {
    completed: 'return 1;',
    failed: 'throw new Error("no");',
    waiting: 'await waitForSignal("go");',
    canceled: 'await waitForSignal("never");',
    expired: 'await sleep("1h");',
  };
  const ids: Record<string, string> = {};
  for (const [state, script] of Object.entries(scripts)) {
    const ttl = state === 'expired' ? { ttl: '1s' as const } : {};
    ids[state] = (await stage.create(script, ttl, 'states')).id;
  }
  ids['running'] = (await stage.create('await work.slow();', {}, 'states')).id;
  await stage.runs('states').cancel(ids['canceled']!);
  await stage.runs('states').wait(ids['expired']!);
  for (const [state, id] of Object.entries(ids)) {
    await eventually(
      async () => expect(await idsOf('states', { state: state as RunState })).toEqual([id]) ?? true,
    );
  }
  expect((await idsOf('states')).sort()).toEqual(Object.values(ids).sort());
  const all = await stage.runs('states').list();
  const shown = Object.fromEntries(all.data.map(({ id, state }) => [state, id]));
  expect(shown).toEqual(ids);
  const waiting = all.data.find(({ state }) => state === 'waiting');
  expect(waiting?.waitingFor).toEqual([{ kind: 'signal', name: 'go', line: 1 }]);
  await stage.finishSlow(ids['running']);
});

test('labels filter: all of them, exactly', async () => {
  const create = async (labels: Record<string, string>) =>
    (await stage.run('return 1;', { labels }, 'labels')).id;
  const ab = await create({ a: '1', b: '2' });
  const a = await create({ a: '1' });
  const odd = await create({ a: '1=2', b: "it's ü" });
  await eventually(async () => (await idsOf('labels')).length === 3);
  const find = async (labels: Record<string, string>) => (await idsOf('labels', { labels })).sort();
  expect(await find({ a: '1' })).toEqual([a, ab].sort());
  expect(await find({ a: '1', b: '2' })).toEqual([ab]);
  expect(await find({ a: '1=2' })).toEqual([odd]);
  expect(await find({ b: "it's ü" })).toEqual([odd]);
  expect(await find({ a: '2' })).toEqual([]);
});

test.each([
  ['a limit of 0', { limit: 0 }],
  ['a limit over 200', { limit: 201 }],
  ['a state that there is not', { state: 'sleeping' as RunState }],
  ['a cursor that no list gave', { cursor: 'bm9uc2Vuc2U' }],
])('%s is refused', async (_, params) => {
  await expect(stage.runs().list(params)).rejects.toBeInstanceOf(BadRequestError);
});
