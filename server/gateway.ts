import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createChecker } from '../check';
import { createApp, createHttpServer, createSealer, ensureRootKey } from '../gateway';
import { createEngine } from '../gateway/temporal';
import { version } from '../sdk/version';
import type { Store } from '../store/types';
import { createClosing } from './closing';
import type { Config } from './config';
import type { TemporalConnections } from './temporal-connection';

/** The listening HTTP API. */
export interface Gateway {
  url: string;
  close(): Promise<void>;
}

export interface GatewayOptions {
  config: Config;
  connections: TemporalConnections;
  store: Store;
  logger: Logger;
}

/** How long requests in hand may take once the gateway stops. */
const GRACE_MS = 10_000;

/** Puts the gateway together and listens. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, connections, store, logger } = options;
  const closing = createClosing();
  try {
    if (config.rootKey !== undefined) await ensureRootKey(store, config.rootKey);
    const checker = createChecker();
    closing.add('the type-checker', () => checker.close());
    const engine = createEngine({
      connection: connections.connection,
      pollConnection: connections.pollConnection,
      namespace: connections.namespace,
      store,
      sealer: createSealer(config.sealKeys),
      taskMs: config.taskMs,
      logger,
    });
    closing.add('the engine', () => engine.close());
    const server = createHttpServer(createApp({ store, checker, engine, logger, version }));
    const port = await listen(server, config);
    closing.add('the HTTP server', async () => {
      const closed = endConnections(server);
      // Ends the waits of workers, which would hold their connections for as long as they last.
      await engine.close();
      await closed;
    });
    return {
      url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is taken. Set REWIND_PORT to another one, or to 0 for any.`
          : `Cannot listen on ${host}, port ${port}.`;
      reject(new Error(reason, { cause: error }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** No new connections, and none that is kept open for later requests; those in hand get their time. */
async function endConnections(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  try {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
