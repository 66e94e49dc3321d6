import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { InvalidCursorError, isUnreachable, openStore } from '../../../store';
import { migrations } from '../../../store/migrations';
import type { Store, StoredKey, WorkerGroup } from '../../../store/types';
import { startPostgres, type TestPostgres } from '../../support/postgres';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});

const now = new Date('2030-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);
let serial = 0;
const unique = (prefix: string) => `${prefix}_${(++serial).toString().padStart(10, '0')}`;

function key(more: Partial<StoredKey> = {}): StoredKey {
  const id = unique('key');
  return {
    id,
    name: 'a key',
    hash: `hash of ${id}`,
    labels: {},
    rights: ['run'],
    createdAt: now,
    ...more,
  };
}

describe.each([
  ['PGlite in memory', () => openStore()],
  ['PostgreSQL', async () => openStore({ databaseUrl: await postgres.database() })],
])('store over %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(async () => {
    await store?.close();
  });

  test('answers a ping, and migrates again without a change', async () => {
    await store.ping();
    await store.migrate();
    await store.ping();
  });

  test('keeps a toolset as it came: order of keys, any text, times', async () => {
    const tools = {
      'z.last': {
        description: 'null \u0000, half \ud800, 漢字',
        input: { type: 'object', z: 1, a: 2 },
      },
      'a.first': { description: '', input: {}, policy: 'at_most_once' as const },
    };
    const id = unique('ts');
    const put = { id, tools, workflows: [{ name: 'w', version: 3 }], createdAt: now };
    const kept = await store.putToolset(put);
    expect(kept).toEqual(put);
    expect(Object.keys(kept.tools)).toEqual(['z.last', 'a.first']);
    expect(JSON.stringify(await store.toolset(id))).toBe(JSON.stringify(put));
    expect(await store.toolset('ts_that_never_was')).toBeUndefined();
  });

  test('gives the first of two equal toolset ids', async () => {
    const id = unique('ts');
    const first = { id, parent: 'ts_parent', tools: {}, workflows: [], createdAt: now };
    await store.putToolset(first);
    expect(await store.putToolset({ ...first, createdAt: at(5_000) })).toEqual(first);
  });

  test('finds a key by its hash, with its labels, rights and times', async () => {
    const full = key({
      labels: { team: 'a', 'key with "quotes"': '' },
      rights: ['run', 'answer', 'admin'],
      expiresAt: at(60_000),
      lastUsedAt: at(-1),
    });
    await store.putKey(full);
    expect(await store.keyByHash(full.hash)).toEqual(full);
    expect(await store.keyByHash('of no key')).toBeUndefined();
  });

  test('does not find expired keys', async () => {
    const expired = key({ expiresAt: new Date(Date.now() - 1) });
    await store.putKey(expired);
    expect(await store.keyByHash(expired.hash)).toBeUndefined();
  });

  test('a revoked key is gone at once; revoking again is the same, another id is not', async () => {
    const doomed = key();
    await store.putKey(doomed);
    expect(await store.revokeKey(doomed.id)).toBe(true);
    expect(await store.keyByHash(doomed.hash)).toBeUndefined();
    expect(await store.revokeKey(doomed.id)).toBe(true);
    expect(await store.revokeKey('key_that_never_was')).toBe(false);
  });

  test('putting a key again replaces what it may do, and keeps when it was made', async () => {
    const first = key({ rights: ['admin'] });
    await store.putKey(first);
    await store.touchKey(first.id, at(1));
    await store.putKey({ ...first, hash: 'another', rights: ['run'], createdAt: at(99) });
    expect(await store.keyByHash(first.hash)).toBeUndefined();
    const again = await store.keyByHash('another');
    expect(again).toEqual({ ...first, hash: 'another', rights: ['run'], lastUsedAt: at(1) });
  });

  test('the time of last use never goes back', async () => {
    const used = key();
    await store.putKey(used);
    await store.touchKey(used.id, at(2_000));
    await store.touchKey(used.id, at(1_000));
    expect((await store.keyByHash(used.hash))?.lastUsedAt).toEqual(at(2_000));
  });

  test('lists every key once over pages, newest first, equal times included', async () => {
    const own = await open();
    const made = [];
    for (const ms of [0, 0, 0, 1, 2]) {
      const one = key({ createdAt: at(ms) });
      await own.putKey(one);
      made.push(one);
    }
    const gone = key();
    await own.putKey(gone);
    await own.revokeKey(gone.id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await own.listKeys({ limit: 2, ...(cursor !== undefined && { cursor }) });
      expect(page.rows.length).toBeLessThanOrEqual(2);
      seen.push(...page.rows.map((row) => row.id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(made.map(({ id }) => id).reverse());
    await own.close();
  });

  test.each([
    '',
    'x',
    '%00',
    Buffer.from('[1e99,"a"]').toString('base64url'),
    'bnVsbA',
    '[0,"\0"]',
  ])('refuses the cursor %j by name', async (cursor) => {
    await expect(store.listKeys({ limit: 1, cursor })).rejects.toBeInstanceOf(InvalidCursorError);
  });

  describe('the directory of workers', () => {
    const group = (more: Partial<WorkerGroup> = {}): WorkerGroup => ({
      id: unique('group'),
      tools: ['crm.find', 'mail.send'],
      ...more,
    });
    const since = at(-45_000);
    const find = async (tools: string[], id: string) =>
      (await store.liveGroups({ tools, since })).find((found) => found.id === id);

    test('the first worker of a group says so, the second does not, nor does a heartbeat', async () => {
      const one = group();
      expect(await store.seeWorker({ id: 'w1', group: one, slots: 3, at: now })).toBe(true);
      expect(await store.seeWorker({ id: 'w2', group: one, slots: 4, at: now })).toBe(false);
      expect(await store.seeWorker({ id: 'w1', group: one, slots: 5, at: at(10_000) })).toBe(false);
      expect(await find(['mail.send', 'other'], one.id)).toEqual({
        ...one,
        slots: 9,
        lastSeen: at(10_000),
      });
    });

    test('a group that was silent for longer than workers may be is new again', async () => {
      const one = group();
      await store.seeWorker({ id: 'w1', group: one, slots: 1, at: now });
      expect(await store.seeWorker({ id: 'w1', group: one, slots: 1, at: at(60_000) })).toBe(true);
    });

    test('groups are found by any of their tools, only while a worker is seen', async () => {
      const one = group({ toolset: 'ts_abcdefgh', namespace: 'ada', labels: { team: 'a' } });
      const old = group();
      await store.seeWorker({ id: 'w1', group: one, slots: 0, at: now });
      await store.seeWorker({ id: 'w1', group: old, slots: 0, at: at(-50_000) });
      expect(await find(['crm.find'], one.id)).toEqual({ ...one, slots: 0, lastSeen: now });
      expect(await find(['crm'], one.id)).toBeUndefined();
      expect(await find([], one.id)).toBeUndefined();
      expect(await find(['crm.find'], old.id)).toBeUndefined();
      const all = (await store.allLiveGroups(since)).map(({ id }) => id);
      expect(all).toContain(one.id);
      expect(all).not.toContain(old.id);
    });

    test('tool names with quotes, commas and braces are found as they are', async () => {
      const odd = ['a,b', '"quoted"', '{x}', 'back\\slash', 'NULL', ' blank '];
      const one = group({ tools: odd });
      await store.seeWorker({ id: 'w1', group: one, slots: 1, at: now });
      expect((await find(['NULL'], one.id))?.tools).toEqual(odd);
      expect((await find(['{x}'], one.id))?.tools).toEqual(odd);
    });

    test('the last worker that leaves takes its group with it', async () => {
      const one = group();
      const [first, second] = [unique('worker'), unique('worker')];
      await store.seeWorker({ id: first, group: one, slots: 1, at: now });
      await store.seeWorker({ id: second, group: one, slots: 1, at: now });
      await store.removeWorker(first);
      expect(await find(['crm.find'], one.id)).toBeDefined();
      await store.removeWorker(second);
      expect(await find(['crm.find'], one.id)).toBeUndefined();
      expect(await store.seeWorker({ id: first, group: one, slots: 1, at: now })).toBe(true);
    });

    test('a worker that left is not brought back by what is still heard of it', async () => {
      const one = group();
      const id = unique('worker');
      await store.seeWorker({ id, group: one, slots: 1, at: now });
      expect(await store.touchWorkers([id, unique('worker')], at(5_000))).toEqual([id]);
      expect((await find(['crm.find'], one.id))?.lastSeen).toEqual(at(5_000));
      await store.removeWorker(id);
      expect(await store.touchWorkers([id], at(6_000))).toEqual([]);
      expect(await find(['crm.find'], one.id)).toBeUndefined();
    });

    test('a suspected worker is dead at the time that was named, unless it is seen again', async () => {
      const one = group();
      const id = unique('worker');
      const deadAt20 = async () =>
        !(await store.liveGroups({ tools: one.tools, since: at(20_001 - 45_000) })).some(
          (found) => found.id === one.id,
        );
      await store.seeWorker({ id, group: one, slots: 1, at: at(-1) });
      await store.suspectWorker({ id, at: now, until: at(20_000) });
      expect(await deadAt20()).toBe(true);
      expect(await find(['crm.find'], one.id)).toBeDefined();
      await store.touchWorkers([id], at(1));
      expect(await deadAt20()).toBe(false);
      // A suspicion that comes behind a later sighting changes nothing.
      await store.suspectWorker({ id, at: now, until: at(20_000) });
      expect(await deadAt20()).toBe(false);
    });

    describe('the queues of groups that lost a worker', () => {
      const take = (holder: string, ms = 0) =>
        store.takeDrains({
          holder,
          since: at(ms - 45_000),
          at: at(ms),
          until: at(ms + 15_000),
          limit: 100,
        });
      const groupsOf = async (...params: Parameters<typeof take>) =>
        (await take(...params)).map((drain) => drain.group);

      test('two workers that leave at once leave one drain behind, for one gateway', async () => {
        const one = group();
        const ids = [unique('worker'), unique('worker')];
        for (const id of ids) await store.seeWorker({ id, group: one, slots: 1, at: now });
        await Promise.all(ids.map((id) => store.removeWorker(id)));
        const taken = await Promise.all(['g1', 'g2', 'g3'].map((holder) => groupsOf(holder)));
        expect(taken.flat().filter((id) => id === one.id)).toHaveLength(1);
      });

      test('a group with another live worker needs none, now and after that one is gone it does', async () => {
        const one = group();
        const [first, second] = [unique('worker'), unique('worker')];
        await store.seeWorker({ id: first, group: one, slots: 1, at: now });
        await store.seeWorker({ id: second, group: one, slots: 1, at: now });
        await store.removeWorker(first);
        expect(await groupsOf('g1')).not.toContain(one.id);
        await store.removeWorker(second);
        expect(await groupsOf('g1')).toContain(one.id);
      });

      test('a drain is its holder’s until that one is silent, and ends by the mark of its loss', async () => {
        const one = group();
        const id = unique('worker');
        await store.seeWorker({ id, group: one, slots: 1, at: now });
        await store.removeWorker(id);
        const mine = (await take('g1')).find((drain) => drain.group === one.id);
        expect(await groupsOf('g2', 14_000)).not.toContain(one.id);
        expect(await groupsOf('g1', 14_000)).toContain(one.id);
        expect(await groupsOf('g2', 28_000)).not.toContain(one.id);
        expect(await groupsOf('g2', 30_000)).toContain(one.id);
        // Lost again meanwhile: the end of the first drain does not hide it.
        await store.seeWorker({ id, group: one, slots: 1, at: at(31_000) });
        await store.removeWorker(id);
        await store.endDrain(mine ?? { group: '', mark: '' });
        const again = (await take('g2', 32_000)).find((drain) => drain.group === one.id);
        await store.endDrain(again ?? { group: '', mark: '' });
        expect(await groupsOf('g2', 33_000)).not.toContain(one.id);
      });

      test('a silent worker is forgotten, and its group drained', async () => {
        const [silent, alive] = [group(), group()];
        const id = unique('worker');
        await store.seeWorker({ id, group: silent, slots: 1, at: at(-50_000) });
        await store.seeWorker({ id: unique('worker'), group: alive, slots: 1, at: now });
        await store.dropSilentWorkers(at(-45_000));
        const drained = await groupsOf('g1');
        expect(drained).toContain(silent.id);
        expect(drained).not.toContain(alive.id);
        expect(await store.touchWorkers([id], now)).toEqual([]);
      });
    });
  });

  test('many users of the store at once wait for each other and all get through', async () => {
    const keys = Array.from({ length: 50 }, () => key());
    await Promise.all(
      keys.map(async (one) => {
        await store.putKey(one);
        await store.migrate();
        expect((await store.keyByHash(one.hash))?.id).toBe(one.id);
      }),
    );
  });

  test('is closed once and for all', async () => {
    const own = await open();
    await Promise.all([own.close(), own.close()]);
    await expect(own.ping()).rejects.toThrow();
  });
});

describe('PostgreSQL', () => {
  test('several processes that start at once on an empty database all come up', async () => {
    const databaseUrl = await postgres.database();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore({ databaseUrl })));
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const applied = await client.query('select id from rewind_migrations order by id');
    expect(applied.rows).toEqual(migrations.map(({ id }) => ({ id })));
    await client.end();
    await Promise.all(stores.map((store) => store.close()));
  });

  test('survives connections that the server cuts, and tells of them', async () => {
    const databaseUrl = await postgres.database();
    const broken: Error[] = [];
    const store = await openStore({
      databaseUrl,
      onConnectionError: (error) => broken.push(error),
    });
    await store.ping();
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
    const deadline = Date.now() + 10_000;
    while (broken.length === 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(broken.length).toBeGreaterThan(0);
    await store.ping();
    await store.close();
  });

  test('a server that is not there is told apart from a mistake of ours', async () => {
    const failed = await openStore({ databaseUrl: 'postgres://rewind@127.0.0.1:1/none' }).catch(
      (error: unknown) => error,
    );
    expect(isUnreachable(failed)).toBe(true);
    expect(isUnreachable(new TypeError('x is not a function'))).toBe(false);
  });
});
