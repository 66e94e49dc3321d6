import type { ColumnType, Generated } from 'kysely';

/**
 * Tables as Kysely sees them. JSON is kept as text: `jsonb` would refuse `\u0000` and reorder keys,
 * and nothing is searched inside it.
 */
export interface Schema {
  rewind_migrations: MigrationTable;
  rewind_toolsets: ToolsetTable;
  rewind_keys: KeyTable;
  rewind_workers: WorkerTable;
  rewind_values: ValueTable;
  rewind_drains: DrainTable;
}

export interface MigrationTable {
  id: number;
  name: string;
  applied_at: Generated<Date>;
}

export interface ToolsetTable {
  id: string;
  parent: string | null;
  /** JSON: tools by name. */
  tools: string;
  /** JSON: pinned workflows. */
  workflows: string;
  created_at: Date;
}

export interface KeyTable {
  id: string;
  name: string;
  /** SHA-256 of the key, in hex. */
  hash: string;
  /** JSON. */
  labels: string;
  rights: string[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** One row per worker and group; the group stands in each row, so that no row refers to another. */
export interface WorkerTable {
  id: string;
  group_id: string;
  tools: string[];
  toolset: string | null;
  namespace: string | null;
  /** JSON. */
  labels: string | null;
  slots: number;
  last_seen: ColumnType<Date>;
}

/** A payload of a history that is kept beside it. Never changed: its id is the hash of its body. */
export interface ValueTable {
  id: string;
  body: Uint8Array;
  /** When a history last referred to it anew. */
  kept_at: ColumnType<Date>;
}

/** The queue of a group that lost a worker. */
export interface DrainTable {
  group_id: string;
  /** Another one for each loss. */
  mark: string;
  noted_at: Date;
  /** The gateway that empties it. */
  holder: string | null;
  held_until: Date | null;
}
