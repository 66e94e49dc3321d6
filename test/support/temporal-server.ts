import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { ensureNamespace } from '../../server/namespace';
import { ADDRESS_VARIABLE, BUNDLE_VARIABLE } from './global-setup';

/** Address of the Temporal server that all test files of the run share. */
export function temporalAddress(): string {
  return required(ADDRESS_VARIABLE);
}

/** Path of the workflow bundle that all test files of the run share. */
export function bundlePath(): string {
  return required(BUNDLE_VARIABLE);
}

/** A Temporal namespace of its own: what one test file does, no other one sees. */
export interface TestNamespace {
  address: string;
  namespace: string;
  connection: Connection;
  client: Client;
  /** For `Worker.create`. */
  nativeConnection: NativeConnection;
  close(): Promise<void>;
}

/** Registers a fresh Temporal namespace with Rewind's search attributes: takes some 50 ms. */
export async function createTestNamespace(): Promise<TestNamespace> {
  quietRuntime();
  const address = temporalAddress();
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  await ensureNamespace(connection, namespace, { ours: true });
  const nativeConnection = await NativeConnection.connect({ address });
  return {
    address,
    namespace,
    connection,
    client: new Client({ connection, namespace }),
    nativeConnection,
    close: async () => {
      await nativeConnection.close();
      await connection.close();
    },
  };
}

/** Once per process: warnings and errors of the SDK only, and not that a script failed. */
export function quietRuntime(): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message !== 'Workflow failed')
      process.stderr.write(`${level} ${message} ${inspect(meta)}\n`);
  });
  try {
    Runtime.install({ logger });
  } catch {
    // Installed by another test file of this process.
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the test by jest's projects`);
  return value;
}
