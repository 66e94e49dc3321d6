import type { Labels, Run, RunState, Task, TextPage, TraceEntry } from '../sdk/protocol';
import type { StoredToolset } from '../store/types';

/** Whom a request acts for and what it may see. Checked on the object itself. */
export interface Scope {
  /** The end user; absent: all of them. */
  namespace?: string;
  /** Labels that the object must carry; absent: any. */
  labels?: Labels;
}

/** A checked script with all that its run is made of. */
export interface StartRun {
  namespace: string;
  labels: Labels;
  toolset: StoredToolset;
  /** As it was sent. */
  script: string;
  /** JavaScript for the sandbox. */
  code: string;
  /** Source map from `code` to `script`. */
  map: string;
  /** JSON text; absent where no input was given. */
  inputJson?: string;
  ttlMs: number;
  idempotencyKey?: string;
  /** W3C trace context of the request. */
  traceparent: string;
}

/** A part of a long text, in bytes of UTF-8. */
export interface TextRange {
  offset: number;
  limit: number;
}

/** A part of a list. */
export interface ListRange {
  limit: number;
  cursor?: string;
}

/** One wait of a worker for a task. */
export interface Claim {
  scope: Scope;
  /** Tools that the worker has handlers for. */
  tools: string[];
  toolset?: string;
  worker: string;
  /** Handlers that the worker can still start. */
  slots: number;
  waitMs: number;
  /** Aborts when the worker's connection closes. */
  signal: AbortSignal;
  /**
   * Called once, with the task exactly when it is to be written, or with null at the end of the
   * wait. False: the socket is gone, give the task to another claim or back.
   */
  handOver: (task: Task | null) => boolean;
}

/** Why a call failed, as its worker says. */
export interface TaskError {
  message: string;
  data?: unknown;
  retryable?: boolean;
  retryAfterMs?: number;
}

/** State of a claim after a heartbeat. */
export type Heartbeat = 'ok' | 'lost' | 'retry';

/**
 * What the routes ask of the engine. Every method throws `ApiError` where the caller is to know why;
 * anything else that is thrown is a fault of ours.
 */
export interface Engine {
  /** Fails where the engine cannot be reached. */
  ready(): Promise<void>;
  startRun(params: StartRun): Promise<Run>;
  /** With `waitMs`, answers as soon as the state changes. */
  run(scope: Scope, id: string, options?: { waitMs?: number; signal?: AbortSignal }): Promise<Run>;
  listRuns(
    scope: Scope,
    params: ListRange & { state?: RunState; labels?: Labels },
  ): Promise<{ data: Run[]; nextCursor?: string }>;
  output(scope: Scope, id: string, page: TextRange): Promise<TextPage>;
  log(scope: Scope, id: string, page: TextRange): Promise<TextPage>;
  trace(
    scope: Scope,
    id: string,
    page: ListRange & { /** Number of the first call, where there is no cursor. */ from?: number },
  ): Promise<{ data: TraceEntry[]; nextCursor?: string }>;
  signal(
    scope: Scope,
    id: string,
    signal: { name: string; payload?: unknown; key: string },
  ): Promise<void>;
  cancel(scope: Scope, id: string, reason?: string): Promise<Run>;
  claim(params: Claim): Promise<void>;
  heartbeat(
    scope: Scope,
    worker: string,
    tasks: { token: string; begun: boolean }[],
  ): Promise<Heartbeat[]>;
  defer(
    scope: Scope,
    token: string,
    timeoutMs?: number,
  ): Promise<{ token: string; deadline: string }>;
  release(scope: Scope, token: string): Promise<void>;
  complete(scope: Scope, token: string, result: unknown): Promise<void>;
  fail(scope: Scope, token: string, error: TaskError): Promise<void>;
  leave(scope: Scope, worker: string): Promise<void>;
}
