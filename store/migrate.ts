import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { isUnreachable } from './errors';
import { migrations, type Migration } from './migrations';
import type { Schema } from './schema';

const TRIES = 10;

/**
 * Two processes that create the same thing at once: one of them fails, by one of these, even with
 * `if not exists`. It tries again and finds the work done.
 */
const raceCodes = new Set([
  '23505', // unique violation in the catalogue
  '42P07', // duplicate table
  '42710', // duplicate object
  '40001', // serialization failure
  '40P01', // deadlock
  'XX000', // "tuple concurrently updated"
]);

/** Brings the schema up to date. Safe beside other processes that do the same. */
export async function migrate(
  db: Kysely<Schema>,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await db.transaction().execute((trx) => apply(trx, steps));
      return;
    } catch (error) {
      if (attempt === TRIES || !mayPass(error)) throw error;
      await sleep(50 * attempt);
    }
  }
}

async function apply(trx: Transaction<Schema>, steps: readonly Migration[]): Promise<void> {
  await sql`create table if not exists rewind_migrations (
    id integer primary key,
    name text not null,
    applied_at timestamptz not null default now()
  )`.execute(trx);
  // Whoever comes second waits here, then sees what the first has done.
  await sql`lock table rewind_migrations in exclusive mode`.execute(trx);
  const rows = await trx.selectFrom('rewind_migrations').select('id').execute();
  const applied = new Set(rows.map((row) => row.id));
  for (const step of steps) {
    if (applied.has(step.id)) continue;
    for (const statement of step.statements) await sql.raw(statement).execute(trx);
    await trx.insertInto('rewind_migrations').values({ id: step.id, name: step.name }).execute();
  }
}

function mayPass(error: unknown): boolean {
  if (isUnreachable(error)) return true;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && raceCodes.has(code);
}
