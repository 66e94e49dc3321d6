import { sql, type Kysely, type Selectable } from 'kysely';
import type { Labels, Right } from '../sdk/protocol';
import { openCursor, writeCursor } from './cursor';
import type { KeyTable, Schema } from './schema';
import type { Page, StoredKey } from './types';

/** Replaces a key of the same id; a revoked one is then valid again. */
export async function putKey(db: Kysely<Schema>, key: StoredKey): Promise<void> {
  const changed = {
    name: key.name,
    hash: key.hash,
    labels: JSON.stringify(key.labels),
    rights: key.rights,
    expires_at: key.expiresAt ?? null,
    revoked_at: null,
  };
  const kept = { id: key.id, created_at: key.createdAt, last_used_at: key.lastUsedAt ?? null };
  await db
    .insertInto('rewind_keys')
    .values({ ...kept, ...changed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
    .execute();
}

export async function keyByHash(db: Kysely<Schema>, hash: string): Promise<StoredKey | undefined> {
  const row = await valid(db).where('hash', '=', hash).executeTakeFirst();
  return row && fromRow(row);
}

export async function touchKey(db: Kysely<Schema>, id: string, at: Date): Promise<void> {
  await db
    .updateTable('rewind_keys')
    .set({ last_used_at: sql<Date>`greatest(last_used_at, ${at}::timestamptz)` })
    .where('id', '=', id)
    .execute();
}

/** Newest first; without the revoked and the expired ones. */
export async function listKeys(
  db: Kysely<Schema>,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<StoredKey>> {
  let query = valid(db)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) {
    const after = openCursor(cursor);
    query = query.where((where) =>
      where.or([
        where('created_at', '<', after.at),
        where.and([where('created_at', '=', after.at), where('id', '<', after.id)]),
      ]),
    );
  }
  const rows = (await query.execute()).map(fromRow);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    rows: rows.slice(0, limit),
    ...(last && { nextCursor: writeCursor({ at: last.createdAt, id: last.id }) }),
  };
}

/** Equal repeats are told the same, so that a lost reply can be asked for again. */
export async function revokeKey(db: Kysely<Schema>, id: string): Promise<boolean> {
  const result = await db
    .updateTable('rewind_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

const valid = (db: Kysely<Schema>) =>
  db
    .selectFrom('rewind_keys')
    .selectAll()
    .where('revoked_at', 'is', null)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date())]),
    );

function fromRow(row: Selectable<KeyTable>): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    labels: JSON.parse(row.labels) as Labels,
    rights: row.rights as Right[],
    createdAt: row.created_at,
    ...(row.expires_at && { expiresAt: row.expires_at }),
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  };
}
