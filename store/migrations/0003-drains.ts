import type { Migration } from './migration';

/** Queues of worker groups that lost a worker, and which gateway empties them. */
export const drains: Migration = {
  id: 3,
  name: 'drains',
  statements: [
    `create table rewind_drains (
      group_id text primary key,
      mark text not null,
      noted_at timestamptz not null,
      holder text,
      held_until timestamptz
    )`,
  ],
};
