import type { Migration } from './migration';

/** Values too large for a history; the history keeps their ids. */
export const values: Migration = {
  id: 2,
  name: 'values',
  statements: [
    `create table rewind_values (
      id text primary key,
      body bytea not null,
      kept_at timestamptz not null
    )`,
    // Bytes that came from JSON are compressed by the database, where it can.
    `create index rewind_values_kept on rewind_values (kept_at)`,
  ],
};
