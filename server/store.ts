import { join } from 'node:path';
import { openStore as open } from '../store';
import type { Store } from '../store/types';
import type { Config } from './config';

/** Opens the database that the settings name, and brings it up to date. */
export function openStore(
  config: Config,
  options: { inMemory?: boolean; onConnectionError?: (error: Error) => void } = {},
): Promise<Store> {
  const { onConnectionError } = options;
  return open({
    ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
    ...(!options.inMemory && { dataDir: join(config.stateDir, 'pglite') }),
    ...(onConnectionError && { onConnectionError }),
  });
}
