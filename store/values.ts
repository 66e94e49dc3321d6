import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema';
import type { StoredValue } from './types';

/** A value that was kept again within a day is not written again. */
const REFRESH_MS = 86_400_000;
/** Bound of one statement: the embedded database copies each parameter several times. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Keeps values under their ids. Equal ids hold equal bodies, so the first stays. */
export async function putValues(
  db: Kysely<Schema>,
  values: readonly StoredValue[],
  at: Date,
): Promise<void> {
  for (const batch of batches(values)) {
    await db
      .insertInto('rewind_values')
      .values(batch.map(({ id, body }) => ({ id, body, kept_at: at })))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ kept_at: at })
          .where('rewind_values.kept_at', '<', new Date(at.getTime() - REFRESH_MS)),
      )
      .execute();
  }
}

export async function valuesById(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const rows = await db
    .selectFrom('rewind_values')
    .select(['id', 'body'])
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::text[])`)
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}

export async function forgetValues(db: Kysely<Schema>, before: Date): Promise<number> {
  const gone = await db
    .deleteFrom('rewind_values')
    .where('kept_at', '<', before)
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}

/** Equal ids within one statement would conflict with themselves. */
function batches(values: readonly StoredValue[]): StoredValue[][] {
  const found: StoredValue[][] = [];
  let size = Infinity;
  for (const value of new Map(values.map((each) => [each.id, each])).values()) {
    if (size + value.body.length > BATCH_BYTES) {
      found.push([]);
      size = 0;
    }
    found.at(-1)?.push(value);
    size += value.body.length;
  }
  return found;
}
