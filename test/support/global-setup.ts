import { join } from 'node:path';
import { startTemporalServer, type TemporalServer } from '../../server/temporal-server';
import { workflowBundle } from '../../server/workflow-bundle';

/** What the test files get, by environment variables. An address that is set already is that of a given server. */
export const ADDRESS_VARIABLE = 'REWIND_TEST_TEMPORAL_ADDRESS';
export const BUNDLE_VARIABLE = 'REWIND_TEST_WORKFLOW_BUNDLE';

/** Both projects that need the server name this file: the first one starts it, the last one stops it. */
export const shared = globalThis as typeof globalThis & {
  rewindTest?: { server: Pick<TemporalServer, 'address' | 'stop'>; users: number };
};

/** One Temporal server, in memory, and one workflow bundle for all test files of the run. */
export default async function globalSetup(): Promise<void> {
  if (shared.rewindTest) {
    shared.rewindTest.users += 1;
    return;
  }
  const cache = join(__dirname, '..', '..', '.rewind', 'test');
  const given = process.env[ADDRESS_VARIABLE];
  const server = given
    ? { address: given, stop: () => Promise.resolve() }
    : await startTemporalServer({ logFile: join(cache, 'temporal.log') });
  shared.rewindTest = { server, users: 1 };
  process.env[ADDRESS_VARIABLE] = server.address;
  try {
    process.env[BUNDLE_VARIABLE] = await workflowBundle(cache);
  } catch (error) {
    await server.stop();
    throw error;
  }
}
