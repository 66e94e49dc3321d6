import { PGlite } from '@electric-sql/pglite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import * as drains from './drains';
import { lockFolder } from './folder-lock';
import * as keys from './keys';
import { migrate } from './migrate';
import { pgliteDialect } from './pglite-dialect';
import type { Schema } from './schema';
import * as toolsets from './toolsets';
import type { Store } from './types';
import * as values from './values';
import * as workers from './workers';

/** Where the store keeps its rows. */
export interface StoreOptions {
  /** PostgreSQL. */
  databaseUrl?: string;
  /** Without PostgreSQL: PGlite's folder, for this process alone; absent: in memory. */
  dataDir?: string;
  /** Connections to PostgreSQL. @default 10 */
  connections?: number;
  /** Told of a connection to PostgreSQL that broke while idle; the pool replaces it. */
  onConnectionError?: (error: Error) => void;
}

/** Opens the database and brings its schema up to date. */
export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const store =
    options.databaseUrl === undefined
      ? await openEmbedded(options.dataDir)
      : openPostgres(options.databaseUrl, options);
  try {
    await store.migrate();
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
  return store;
}

function openPostgres(connectionString: string, options: StoreOptions): Store {
  const pool = new Pool({
    connectionString,
    max: options.connections ?? 10,
    application_name: 'rewind',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    keepAlive: true,
  });
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  return over(new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }), () => undefined);
}

async function openEmbedded(dataDir: string | undefined): Promise<Store> {
  if (dataDir === undefined) return embedded(await PGlite.create(), () => undefined);
  const unlock = lockFolder(dataDir);
  try {
    return embedded(await PGlite.create(dataDir), unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function embedded(pglite: PGlite, unlock: () => void): Store {
  return over(new Kysely<Schema>({ dialect: pgliteDialect(pglite) }), unlock);
}

function over(db: Kysely<Schema>, closed: () => void): Store {
  let closing: Promise<void> | undefined;
  const known = new toolsets.ToolsetReader(db);
  return {
    migrate: () => migrate(db),
    ping: async () => void (await sql`select 1`.execute(db)),
    putToolset: (toolset) => toolsets.putToolset(db, toolset),
    toolset: (id) => known.byId(id),
    putKey: (key) => keys.putKey(db, key),
    keyByHash: (hash) => keys.keyByHash(db, hash),
    touchKey: (id, at) => keys.touchKey(db, id, at),
    listKeys: (params) => keys.listKeys(db, params),
    revokeKey: (id) => keys.revokeKey(db, id),
    seeWorker: (worker) => workers.seeWorker(db, worker),
    touchWorkers: (ids, at) => workers.touchWorkers(db, ids, at),
    suspectWorker: (worker) => workers.suspectWorker(db, worker),
    removeWorker: (id) => workers.removeWorker(db, id),
    dropSilentWorkers: (since) => drains.dropSilent(db, since, new Date()),
    takeDrains: (params) => drains.takeDrains(db, params),
    endDrain: (drain) => drains.endDrain(db, drain),
    liveGroups: ({ tools, since }) => workers.liveGroups(db, since, tools),
    allLiveGroups: (since) => workers.liveGroups(db, since),
    putValues: (added) => values.putValues(db, added, new Date()),
    values: (ids) => values.valuesById(db, ids),
    forgetValues: (before) => values.forgetValues(db, before),
    close: () => (closing ??= db.destroy().finally(closed)),
  };
}
