import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema';
import type { Drain } from './types';

/**
 * Groups that lost a worker, by its clean stop or its silence. Whether another one lives is decided
 * later, by whoever takes the drain: two workers that go at once would each take the other to live.
 * The mark tells one loss from the next, so that a drain that ends does not hide the news of another.
 */
export async function noteLoss(
  db: Kysely<Schema>,
  groups: readonly string[],
  at: Date,
): Promise<void> {
  if (groups.length === 0) return;
  const mark = randomUUID();
  await db
    .insertInto('rewind_drains')
    .values([...groups].sort().map((group_id) => ({ group_id, mark, noted_at: at })))
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet({ mark }))
    .execute();
}

/** Forgets workers that were not seen since; their groups may need a drain. */
export async function dropSilent(db: Kysely<Schema>, since: Date, at: Date): Promise<void> {
  await sql`
    with silent as (
      delete from rewind_workers where last_seen < ${since}::timestamptz returning group_id
    )
    insert into rewind_drains (group_id, mark, noted_at)
      select distinct group_id, ${randomUUID()}::text, ${at}::timestamptz from silent order by group_id
    on conflict (group_id) do update set mark = excluded.mark`.execute(db);
}

export interface TakeDrains {
  holder: string;
  /** Workers seen since are alive. */
  since: Date;
  at: Date;
  /** Others may take them from then on. */
  until: Date;
  limit: number;
}

/** Takes what nobody holds and keeps what is held; groups with a live worker need no drain. */
export async function takeDrains(
  db: Kysely<Schema>,
  { holder, since, at, until, limit }: TakeDrains,
): Promise<Drain[]> {
  const mayTake = sql<boolean>`(holder is null or holder = ${holder} or held_until < ${at}::timestamptz)`;
  const found = await db
    .selectFrom('rewind_drains')
    .select(['group_id', 'mark'])
    .select(
      sql<boolean>`exists (
        select 1 from rewind_workers
        where rewind_workers.group_id = rewind_drains.group_id
          and last_seen >= ${since}::timestamptz
      )`.as('live'),
    )
    .where(mayTake)
    .orderBy(sql`(holder is not distinct from ${holder}) desc, noted_at`)
    .limit(limit)
    .execute();
  const needless = found.filter(({ live }) => live);
  for (const { group_id, mark } of needless) await endDrain(db, { group: group_id, mark });
  const dead = found.filter(({ live }) => !live).map(({ group_id }) => group_id);
  if (dead.length === 0) return [];
  const taken = await db
    .updateTable('rewind_drains')
    .set({ holder, held_until: until })
    .where('group_id', 'in', dead)
    .where(mayTake)
    .returning(['group_id', 'mark'])
    .execute();
  return taken.map(({ group_id, mark }) => ({ group: group_id, mark }));
}

/** The queue is empty, as of this loss of a worker. */
export async function endDrain(db: Kysely<Schema>, { group, mark }: Drain): Promise<void> {
  await db
    .deleteFrom('rewind_drains')
    .where('group_id', '=', group)
    .where('mark', '=', mark)
    .execute();
}
