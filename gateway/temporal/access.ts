import type { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Store } from '../../store/types';
import type { Sealer } from '../sealer';
import type { Values } from './large-values';

export type WorkflowService = Connection['workflowService'];

/** How the engine reaches Temporal and the rest of the gateway. */
export interface Access {
  client: Client;
  /** Calls that answer soon; retried by the connection. */
  connection: Connection;
  /** Polls: a connection of its own, without the interceptor that retries. */
  pollConnection: Connection;
  /** Temporal's namespace, not an end user's. */
  namespace: string;
  store: Store;
  /** Payloads of histories, large ones too. */
  values: Values;
  sealer: Sealer;
  /** Workflow task timeout of the runs that are started here. */
  taskMs: number;
  logger: Logger;
  /** Whether the server ends a poll when it is asked to. */
  endsPolls: () => Promise<boolean>;
}

/** Milliseconds for one short call to Temporal. */
export const CALL_MS = 10_000;

/** Runs a call with its own deadline, so that nothing waits longer than is stated. */
export function within<T>(access: Access, ms: number, call: () => Promise<T>): Promise<T> {
  return access.connection.withDeadline(Date.now() + ms, call);
}
