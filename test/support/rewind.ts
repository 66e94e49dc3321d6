import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rewind, type RewindOptions } from '../../sdk/index';
import type { Config } from '../../server/config';
import { createLogger } from '../../server/logger';
import { startSystem, type System } from '../../server/system';
import { query } from './postgres';
import { bundlePath, createTestNamespace, type TestNamespace } from './temporal-server';

/** A whole system in this process, for one test file. */
export interface TestRewind {
  url: string;
  /** The root key. */
  apiKey: string;
  config: Config;
  system: System;
  /** The Temporal namespace of this system, to look behind the scenes. */
  temporal: TestNamespace;
  /** A client with the root key, or with what `options` say. */
  client(options?: RewindOptions): Rewind;
  /** Stops the script worker and starts another: every run is replayed from its history. */
  restartScriptWorker(): Promise<void>;
  /** Does the work while no script worker is up. */
  withoutScriptWorker(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface TestRewindOptions {
  /** Runs in the script worker's cache; 0: each workflow task replays its run. */
  maxCachedRuns?: number;
  config?: Partial<Config>;
}

/** `REWIND_TEST_CACHE=off` runs every test without the cache of runs. */
const cacheOff = process.env['REWIND_TEST_CACHE'] === 'off';

/** A PostgreSQL that holds a database for each system, instead of a PGlite for each. */
const postgresUrl = process.env['REWIND_TEST_DATABASE_URL'];

/** Starts gateway and script worker on the shared Temporal server, in a namespace of their own. */
export async function startRewind(options: TestRewindOptions = {}): Promise<TestRewind> {
  const temporal = await createTestNamespace();
  const databaseUrl = await createDatabase();
  const apiKey = `rw_${randomUUID()}`;
  const maxCachedRuns = cacheOff ? 0 : (options.maxCachedRuns ?? 100);
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    stateDir: join(tmpdir(), `rewind-test-${process.pid}`),
    sealKeys: [randomUUID()],
    rootKey: apiKey,
    rootKeyIsNew: false,
    quotas: { runs: 1000, workflows: 200 },
    temporalGiven: true,
    maxCachedRuns,
    // Without a cache Temporal's worker now and then drops a task that comes beside a question.
    taskMs: cacheOff ? 10_000 : 30_000,
    logLevel: 'warn',
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...options.config,
  };
  const system = await startSystem({
    config,
    logger: createLogger(config.logLevel, join(config.stateDir, 'rewind.log')),
    temporal: { namespace: temporal.namespace, options: { address: temporal.address } },
    bundlePath: bundlePath(),
    inMemory: true,
  });
  return {
    url: system.url,
    apiKey,
    config,
    system,
    temporal,
    client: (client = {}) =>
      new Rewind({
        baseURL: system.url,
        ...(client.token === undefined && { apiKey }),
        ...client,
      }),
    restartScriptWorker: () => system.restartScriptWorker(),
    withoutScriptWorker: async (work) => {
      await system.stopScriptWorker();
      try {
        await work();
      } finally {
        await system.restartScriptWorker();
      }
    },
    stop: async () => {
      await system.close();
      await temporal.close();
    },
  };
}

async function createDatabase(): Promise<string | undefined> {
  if (!postgresUrl) return undefined;
  const url = new URL(postgresUrl);
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  await query(postgresUrl, `create database ${url.pathname.slice(1)}`);
  return url.href;
}
