import { sql, type Kysely } from 'kysely';
import type { Labels } from '../sdk/protocol';
import { noteLoss } from './drains';
import { WORKER_SILENCE_MS } from './routes';
import type { Schema } from './schema';
import type { LiveGroup, WorkerGroup } from './types';

interface Sighting {
  id: string;
  group: WorkerGroup;
  slots: number;
  at: Date;
}

export async function seeWorker(
  db: Kysely<Schema>,
  { id, group, slots, at }: Sighting,
): Promise<boolean> {
  const since = new Date(at.getTime() - WORKER_SILENCE_MS);
  // Most sightings are of known workers: one statement, and the names of the tools stay as they are.
  const known = await db
    .updateTable('rewind_workers')
    .set({ slots, last_seen: later(at) })
    .where('id', '=', id)
    .where('group_id', '=', group.id)
    .where('last_seen', '>', since)
    .executeTakeFirst();
  if (known.numUpdatedRows > 0n) return false;
  const live = await db
    .selectFrom('rewind_workers')
    .select('id')
    .where('group_id', '=', group.id)
    .where('last_seen', '>', since)
    .limit(1)
    .executeTakeFirst();
  await addWorker(db, { id, group, slots, at });
  return !live;
}

/** Clocks of gateways differ a little: what another one saw later stays. */
const later = (at: Date) => sql<Date>`greatest(last_seen, ${at}::timestamptz)`;

async function addWorker(db: Kysely<Schema>, { id, group, slots, at }: Sighting): Promise<void> {
  await db
    .insertInto('rewind_workers')
    .values({
      id,
      group_id: group.id,
      tools: group.tools,
      toolset: group.toolset ?? null,
      namespace: group.namespace ?? null,
      labels: group.labels ? JSON.stringify(group.labels) : null,
      slots,
      last_seen: at,
    })
    .onConflict((conflict) =>
      conflict.columns(['id', 'group_id']).doUpdateSet({ slots, last_seen: at }),
    )
    .execute();
}

export async function touchWorkers(
  db: Kysely<Schema>,
  ids: readonly string[],
  at: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .updateTable('rewind_workers')
    .set({ last_seen: later(at) })
    .where('id', 'in', ids)
    .returning('id')
    .execute();
  return [...new Set(rows.map(({ id }) => id))];
}

export async function suspectWorker(
  db: Kysely<Schema>,
  { id, at, until }: { id: string; at: Date; until: Date },
): Promise<void> {
  const seen = new Date(until.getTime() - WORKER_SILENCE_MS);
  await db
    .updateTable('rewind_workers')
    .set({ last_seen: seen })
    .where('id', '=', id)
    .where('last_seen', '>', seen)
    .where('last_seen', '<', at)
    .execute();
}

export async function removeWorker(db: Kysely<Schema>, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const removed = await trx
      .deleteFrom('rewind_workers')
      .where('id', '=', id)
      .returning('group_id')
      .execute();
    const groups = removed.map(({ group_id }) => group_id);
    await noteLoss(trx, groups, new Date());
  });
}

/** Groups with a worker seen since; of those, the ones with one of the tools where some are named. */
export async function liveGroups(
  db: Kysely<Schema>,
  since: Date,
  tools?: readonly string[],
): Promise<LiveGroup[]> {
  const rows = await db
    .selectFrom('rewind_workers')
    .distinctOn('group_id')
    .select(['group_id', 'tools', 'toolset', 'namespace', 'labels'])
    .select([
      sql<number>`(sum(slots) over (partition by group_id))::float8`.as('slots'),
      sql<Date>`max(last_seen) over (partition by group_id)`.as('seen'),
    ])
    .where('last_seen', '>=', since)
    .$if(tools !== undefined, (query) =>
      query.where(sql<boolean>`tools && ${[...(tools ?? [])]}::text[]`),
    )
    .orderBy('group_id')
    .execute();
  return rows.map((row) => ({
    id: row.group_id,
    tools: row.tools,
    ...(row.toolset !== null && { toolset: row.toolset }),
    ...(row.namespace !== null && { namespace: row.namespace }),
    ...(row.labels !== null && { labels: JSON.parse(row.labels) as Labels }),
    slots: row.slots,
    lastSeen: row.seen,
  }));
}
