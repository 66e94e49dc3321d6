import type { Labels, Right, ToolSpec, WorkflowRef } from '../sdk/protocol';

/** A toolset as it is kept. Immutable. */
export interface StoredToolset {
  id: string;
  parent?: string;
  tools: Record<string, ToolSpec>;
  workflows: WorkflowRef[];
  createdAt: Date;
}

/** An API key as it is kept: only the hash of the key. */
export interface StoredKey {
  id: string;
  name: string;
  hash: string;
  labels: Labels;
  rights: Right[];
  createdAt: Date;
  expiresAt?: Date;
  lastUsedAt?: Date;
}

/** What some workers accept. Equal contents make equal ids, and one task queue. */
export interface WorkerGroup {
  id: string;
  /** Sorted. */
  tools: string[];
  toolset?: string;
  namespace?: string;
  labels?: Labels;
}

/** A group with at least one live worker. */
export interface LiveGroup extends WorkerGroup {
  /** Handlers that its workers said they can still start. */
  slots: number;
  lastSeen: Date;
}

/** A value too large for a history. Its id is made of its body. */
export interface StoredValue {
  id: string;
  body: Uint8Array;
}

/** The queue of a group that lost a worker. The mark is that of the loss. */
export interface Drain {
  group: string;
  mark: string;
}

export interface Page<T> {
  rows: T[];
  nextCursor?: string;
}

/**
 * The small state beside Temporal: toolsets, keys, the directory of live workers, and values too large for a
 * history. Runs and calls are not in it. Implemented over PostgreSQL and over PGlite by one dialect.
 */
export interface Store {
  /** Idempotent; safe when several processes start at once. */
  migrate(): Promise<void>;
  /** Fails where the database cannot be reached. */
  ping(): Promise<void>;

  /** Keeps the first of equal ids and gives what is kept. */
  putToolset(toolset: StoredToolset): Promise<StoredToolset>;
  toolset(id: string): Promise<StoredToolset | undefined>;

  putKey(key: StoredKey): Promise<void>;
  /** By the hash; not the expired or revoked ones. */
  keyByHash(hash: string): Promise<StoredKey | undefined>;
  touchKey(id: string, at: Date): Promise<void>;
  listKeys(params: { limit: number; cursor?: string }): Promise<Page<StoredKey>>;
  /** False where there is no such key. */
  revokeKey(id: string): Promise<boolean>;

  /** A worker of the group is alive now. True where no worker of the group was live before. */
  seeWorker(worker: { id: string; group: WorkerGroup; slots: number; at: Date }): Promise<boolean>;
  /** Workers that are in the directory are alive now; gives those that are. */
  touchWorkers(ids: readonly string[], at: Date): Promise<string[]>;
  /** Nothing of the worker counts any more but what was seen of it after `at`; else it is dead at `until`. */
  suspectWorker(worker: { id: string; at: Date; until: Date }): Promise<void>;
  /** A worker stops cleanly. */
  removeWorker(id: string): Promise<void>;
  /** Forgets workers that were not seen since. */
  dropSilentWorkers(since: Date): Promise<void>;
  /**
   * Groups that lost their last worker, for `holder` to empty their queues; again and again until it
   * ends them. Others take them from `until` on.
   */
  takeDrains(params: {
    holder: string;
    since: Date;
    at: Date;
    until: Date;
    limit: number;
  }): Promise<Drain[]>;
  endDrain(drain: Drain): Promise<void>;
  /** Groups with a worker seen since `since` that have one of the tools. */
  liveGroups(params: { tools: readonly string[]; since: Date }): Promise<LiveGroup[]>;
  /** Groups with a worker seen since `since`. */
  allLiveGroups(since: Date): Promise<LiveGroup[]>;

  /** Keeps values; idempotent. */
  putValues(values: readonly StoredValue[]): Promise<void>;
  /** Bodies by id; without the ones that are not there. */
  values(ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** Removes what no run has written since then; gives how many. */
  forgetValues(before: Date): Promise<number>;

  close(): Promise<void>;
}
