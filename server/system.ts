import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Store } from '../store/types';
import { createClosing, type Closing } from './closing';
import type { Config } from './config';
import { startGateway } from './gateway';
import { ensureNamespace } from './namespace';
import { silently, type Progress } from './progress';
import { startScriptWorker, type ScriptWorker } from './script-worker';
import { lockState } from './state-lock';
import { openStore } from './store';
import {
  connectTemporal,
  temporalTarget,
  type TemporalConnections,
  type TemporalTarget,
} from './temporal-connection';
import { installRuntime } from './temporal-runtime';
import { startTemporalServer } from './temporal-server';
import { workflowBundle } from './workflow-bundle';

export interface SystemOptions {
  config: Config;
  logger: Logger;
  progress?: Progress;
  /** Left out: all of them, with a Temporal server of our own where none was given. */
  parts?: { gateway?: boolean; scriptWorker?: boolean };
  /** Where bundles are kept; left out: the state folder. */
  cacheDir?: string;
  /** A Temporal server that runs already, instead of the one of the environment. */
  temporal?: TemporalTarget;
  bundlePath?: string;
  /** PGlite keeps nothing. */
  inMemory?: boolean;
}

/** The running parts. */
export interface System {
  /** Of the gateway; empty where it was not started. */
  url: string;
  temporal: TemporalTarget;
  /** Of our own Temporal server. */
  uiUrl?: string;
  store: Store;
  /** Rejects when a part fails by itself. */
  failed: Promise<never>;
  /** Stops the script worker alone: runs are kept, and go on when one is there again. */
  stopScriptWorker(): Promise<void>;
  /** Stops the script worker, where one is up, and starts another with an empty cache. */
  restartScriptWorker(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the parts in order, each one named; where one fails, those before it are stopped. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const closing = createClosing();
  try {
    return await start(options, closing);
  } catch (error) {
    await closing.close().catch((failure: unknown) => options.logger.warn({ err: failure }));
    throw error;
  }
}

async function start(options: SystemOptions, closing: Closing): Promise<System> {
  const {
    config,
    logger,
    progress = silently,
    parts = { gateway: true, scriptWorker: true },
  } = options;
  const failure = createFailure();
  const all = Boolean(parts.gateway && parts.scriptWorker);
  const own = !options.temporal && !config.temporalGiven && all;
  if (own || (config.databaseUrl === undefined && !options.inMemory)) {
    closing.add('the lock of the state folder', lockState(config.stateDir));
  }
  installRuntime(logger);

  let target = options.temporal ?? temporalTarget();
  let uiUrl: string | undefined;
  if (own) {
    const server = await progress('Starting a Temporal server', () =>
      startTemporalServer({
        stateDir: config.stateDir,
        logFile: join(config.stateDir, 'temporal.log'),
        ui: true,
      }),
    );
    closing.add('the Temporal server', () => server.stop());
    void server.exited.then(() =>
      failure.fail(new Error(`The Temporal server ended: see ${server.logFile}`)),
    );
    uiUrl = server.uiUrl;
    target = temporalTarget(process.env, server.address);
  }
  const connections = await progress(`Connecting to Temporal, namespace ${target.namespace}`, () =>
    connect(target, own, logger),
  );
  closing.add('the Temporal connection', () => connections.close());

  const store = await progress('Opening the database', async () => {
    const opened = await openStore(config, {
      ...(options.inMemory && { inMemory: true }),
      onConnectionError: (error) => logger.warn({ err: error }, 'database connection lost'),
    });
    closing.add('the database', () => opened.close());
    return opened;
  });

  let worker: ScriptWorker | undefined;
  const startWorker = async () => {
    const bundlePath =
      options.bundlePath ?? (await workflowBundle(options.cacheDir ?? config.stateDir));
    worker = await startScriptWorker({
      target,
      bundlePath,
      store,
      ...(config.maxCachedRuns !== undefined && { maxCachedRuns: config.maxCachedRuns }),
      ...(config.memoryBytes !== undefined && { memoryBytes: config.memoryBytes }),
      onShrink: (to) => logger.warn(to, 'the memory runs short: fewer runs are kept in it'),
    });
    worker.done.catch((error: unknown) => failure.fail(error));
  };
  const stopScriptWorker = async () => {
    const stopping = worker;
    worker = undefined;
    await stopping?.stop();
  };
  if (parts.scriptWorker) {
    await progress('Starting the script worker', startWorker);
    closing.add('the script worker', stopScriptWorker);
  }

  let url = '';
  if (parts.gateway) {
    const gateway = await progress('Starting the gateway', () =>
      startGateway({ config, connections, store, logger }),
    );
    closing.add('the gateway', () => gateway.close());
    url = gateway.url;
  }
  return {
    url,
    temporal: target,
    ...(uiUrl !== undefined && { uiUrl }),
    store,
    failed: failure.promise,
    stopScriptWorker,
    restartScriptWorker: async () => {
      await stopScriptWorker();
      await startWorker();
    },
    close: () => {
      failure.settle();
      return closing.close();
    },
  };
}

async function connect(
  target: TemporalTarget,
  ours: boolean,
  logger: Logger,
): Promise<TemporalConnections> {
  const connections = await connectTemporal(target);
  try {
    const problems = await ensureNamespace(connections.connection, target.namespace, { ours });
    const fatal = problems.filter((problem) => problem.fatal);
    if (fatal.length > 0) {
      throw new Error(fatal.map(({ message, command }) => `${message}\n  ${command}`).join('\n'));
    }
    for (const { message, command } of problems) logger.warn({ command }, message);
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** A promise that rejects once, unless what it watches was stopped on purpose. */
function createFailure() {
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, rejectPromise) => (reject = rejectPromise));
  promise.catch(() => undefined);
  let settled = false;
  return {
    promise,
    fail: (error: unknown) => {
      if (!settled) reject(error);
    },
    settle: () => (settled = true),
  };
}
