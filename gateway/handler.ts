import type { z } from 'zod';
import type { Checker } from '../check/types';
import type { operations, OperationName } from '../sdk/protocol';
import type { Store } from '../store/types';
import type { Authenticator } from './auth';
import type { Caller } from './caller';
import type { Engine, Scope } from './engine';
import type { Metrics } from './metrics';

/** What the routes work with. */
export interface Services {
  store: Store;
  checker: Checker;
  engine: Engine;
  authenticator: Authenticator;
  metrics: Metrics;
}

type Part<K extends OperationName, P extends 'params' | 'query' | 'body'> =
  (typeof operations)[K] extends Record<P, infer S extends z.ZodType> ? z.output<S> : undefined;

/** A request that was let in, with everything about it checked. */
export interface Context<K extends OperationName> {
  caller: Caller;
  scope: Scope;
  params: Part<K, 'params'>;
  query: Part<K, 'query'>;
  body: Part<K, 'body'>;
  idempotencyKey: string | undefined;
  /** W3C trace context: the caller's, or a new one. */
  traceparent: string;
  /** Aborts when the connection closes before the answer was written. */
  signal: AbortSignal;
  /** Writes the answer now. False: nothing was written, since nobody is there any more. */
  reply: (answer: Answer<K>) => boolean;
}

/** The body of a 2xx response. */
export type Answer<K extends OperationName> = z.input<(typeof operations)[K]['response']>;

/** Serves one operation. Gives the answer, or `undefined` where it called `reply`. */
export type Handler<K extends OperationName> = (
  context: Context<K>,
) => Promise<Answer<K> | undefined>;

/** One handler for every operation of the protocol. */
export type Handlers = { [K in OperationName]: Handler<K> };
