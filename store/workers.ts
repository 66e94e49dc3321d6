import { sql, type Kysely } from 'kysely';
import type { Labels } from '../sdk/protocol';
import { WORKER_SILENCE_MS } from './routes';
import type { Schema } from './schema';
import type { LiveGroup, WorkerGroup } from './types';

/** Rows of workers that were silent for so long are removed. */
const FORGET_MS = 3_600_000;

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
  const live = await db
    .selectFrom('rewind_workers')
    .select('id')
    .where('group_id', '=', group.id)
    .where('last_seen', '>', since)
    .limit(1)
    .executeTakeFirst();
  // Most sightings are of known workers; the names of the tools, which may be many, stay as they are.
  const known = await db
    .updateTable('rewind_workers')
    .set({ slots, last_seen: sql<Date>`greatest(last_seen, ${at}::timestamptz)` })
    .where('id', '=', id)
    .where('group_id', '=', group.id)
    .executeTakeFirst();
  if (known.numUpdatedRows === 0n) await addWorker(db, { id, group, slots, at });
  if (!live) await forgetOld(db, at);
  return !live;
}

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

async function forgetOld(db: Kysely<Schema>, at: Date): Promise<void> {
  await db
    .deleteFrom('rewind_workers')
    .where('last_seen', '<', new Date(at.getTime() - FORGET_MS))
    .execute();
}

export async function removeWorker(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('rewind_workers').where('id', '=', id).execute();
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
