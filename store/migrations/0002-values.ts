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
    // Compressing them takes longer than writing them.
    `alter table rewind_values alter column body set storage external`,
    `create index rewind_values_kept on rewind_values (kept_at)`,
  ],
};
