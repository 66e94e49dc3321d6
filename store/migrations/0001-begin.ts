import type { Migration } from './migration';

/** Toolsets, keys, and the directory of live workers. */
export const begin: Migration = {
  id: 1,
  name: 'begin',
  statements: [
    `create table rewind_toolsets (
      id text primary key,
      parent text,
      tools text not null,
      workflows text not null,
      created_at timestamptz not null
    )`,
    `create table rewind_keys (
      id text primary key,
      name text not null,
      hash text not null unique,
      labels text not null,
      rights text[] not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`,
    `create index rewind_keys_newest on rewind_keys (created_at desc, id desc)`,
    `create table rewind_workers (
      id text not null,
      group_id text not null,
      tools text[] not null,
      toolset text,
      namespace text,
      labels text,
      slots integer not null,
      last_seen timestamptz not null,
      primary key (id, group_id)
    )`,
    `create index rewind_workers_group on rewind_workers (group_id, last_seen)`,
    `create index rewind_workers_seen on rewind_workers (last_seen)`,
  ],
};
