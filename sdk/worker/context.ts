import type { Duration } from '../protocol/duration';
import type { Labels } from '../protocol/labels';
import type { Task } from '../protocol/task';

/** Executes a call: asynchronous or not, its result (any JSON, at most 1 MiB) is what the script gets. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a handler states its input's type; the schema vouches for it
export type HostToolHandler<I = any> = (input: I, ctx: HostToolContext) => unknown;

/** What a handler knows of the call that it executes. */
export interface HostToolContext {
  /** The end user the run acts for: act on their data only. */
  readonly namespace: string;
  readonly runId: string;
  /** The call's position in the run, from 1. */
  readonly seq: number;
  /** From 1. Above 1, an earlier attempt was interrupted: the call may already have happened. */
  readonly attempt: number;
  /** `{runId}/{seq}`, the same on every attempt: give it to the APIs you call. */
  readonly idempotencyKey: string;
  /** The run's labels. */
  readonly labels: Readonly<Labels>;
  /** Aborted when the claim is lost, and for nothing else. The result is then dropped. */
  readonly signal: AbortSignal;
  /** W3C trace context, with this call's span as parent. */
  readonly traceparent: string;
  /** The toolset's credentials. Not shown when the context is printed. */
  readonly credentials: Readonly<Record<string, string>>;
  /**
   * Sends a heartbeat now and resolves when it is accepted; rejects when the claim is lost. The
   * worker sends them by itself while the handler runs.
   */
  heartbeat(this: void): Promise<void>;
  /**
   * Answer later, by a token. The handler's return value is then no answer, and what it throws
   * afterwards goes to `onError`. A second call gives the same deferral.
   */
  defer(
    this: void,
    options?: {
      /** How long the answer may take, bounded by the run's time to live. Default: that. */
      timeout?: Duration;
    },
  ): Promise<Deferral>;
}

/** A call to be answered with `rewind.tasks.complete` or `fail`, from any process. */
export interface Deferral {
  /** Whoever holds it answers: keep it like a password. */
  readonly token: string;
  /** When the call fails if it is not answered. */
  readonly deadline: Date;
}

/** What a context needs beyond its task. Its methods work when they are taken off the object. */
export interface ContextActions {
  signal: AbortSignal;
  heartbeat: () => Promise<void>;
  defer: (options?: { timeout?: Duration }) => Promise<Deferral>;
}

/** The context of one delivery. */
export function createContext(task: Task, actions: ContextActions): HostToolContext {
  const { heartbeat, defer, signal } = actions;
  const context = {
    namespace: task.namespace,
    runId: task.runId,
    seq: task.seq,
    attempt: task.attempt,
    idempotencyKey: `${task.runId}/${task.seq}`,
    labels: Object.freeze({ ...task.labels }),
    signal,
    traceparent: task.traceparent,
    heartbeat,
    defer,
  };
  Object.defineProperty(context, 'credentials', {
    value: Object.freeze({ ...task.credentials }),
    enumerable: false,
  });
  return context as HostToolContext;
}
