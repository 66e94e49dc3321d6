import { join } from 'node:path';
import { startGateway } from '../../server/gateway';
import { createLogger } from '../../server/logger';
import { connectTemporal } from '../../server/temporal-connection';
import type { TestRewind } from './rewind';

/** Another gateway of a system, over the same store. */
export interface SecondGateway {
  url: string;
  /** A `fetch` that sends requests to this gateway and the first one in turn, as a load balancer does. */
  alternating: typeof fetch;
  stop(): Promise<void>;
}

export async function startSecondGateway(rewind: TestRewind): Promise<SecondGateway> {
  const connections = await connectTemporal(rewind.system.temporal);
  const { config } = rewind;
  const gateway = await startGateway({
    config,
    connections,
    store: rewind.system.store,
    logger: createLogger(config.logLevel, join(config.stateDir, 'rewind.log')),
  });
  let requests = 0;
  return {
    url: gateway.url,
    alternating: (url, init) => {
      const text = String(url instanceof Request ? url.url : url);
      return fetch(++requests % 2 ? text : text.replace(rewind.url, gateway.url), init);
    },
    stop: async () => {
      await gateway.close();
      await connections.close();
    },
  };
}
