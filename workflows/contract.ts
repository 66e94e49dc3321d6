/**
 * The seam between the gateway, the script worker and the workflow: names and shapes that are
 * written into histories. What stands here is never renamed or given another meaning; new fields
 * are optional. Imports types and `define*` only.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { CallState, Labels, Policy, RunError, Wait } from '../sdk/protocol';
import type { JsonSchema } from '../sdk/protocol';

/** Workflow type of a run. */
export const SCRIPT_RUN = 'scriptRun';
/** Task queue of the script workers. */
export const RUN_QUEUE = 'rewind-runs';
/** Prefix of the task queue of a worker group; the group's id follows. */
export const GROUP_QUEUE_PREFIX = 'rw.';
/** Activity id of a delivery; the run's own activities have ids of another form. */
export const deliveryId = (seq: number, delivery: number) => `${seq}.${delivery}`;
/** The number of the call that an activity delivers, if it delivers one. */
export function deliveredCall(activityId: string | null | undefined): number | undefined {
  const seq = /^(\d+)\.\d+$/.exec(activityId ?? '')?.[1];
  return seq === undefined ? undefined : Number(seq);
}
/** Engine, prelude and bridge of this build. A run whose tag the worker does not know fails clearly. */
export const ENGINE = 'qjs-3.7.0/1';
/** So begins what a run says whose engine the script worker does not have; a failed task tells no type. */
export const UNKNOWN_ENGINE = 'this run needs the engine';

/** Search attributes, with their types. `RewindLabels` holds hashes; comparison is exact, on the memo. */
export const searchAttributes = {
  RewindNamespace: 'KEYWORD',
  RewindLabels: 'KEYWORD_LIST',
  RewindToolset: 'KEYWORD',
  RewindState: 'KEYWORD',
  RewindParked: 'KEYWORD_LIST',
} as const;

/**
 * Larger payloads are kept in the store, and the history has a reference to each. A thousand calls in
 * flight, arguments and results just below this, still fit Temporal's 50 MB of history; labels, which
 * stand in memos and headers and must be readable without the store, are always below it. Runs count
 * by it what fits one task, so it never changes.
 */
export const INLINE_BYTES = 24 * 1024;

/** Header of a delivery's activity. */
export const DELIVERY_HEADER = 'rewind-delivery';
/** Failure types that cross Temporal. */
export const failureTypes = {
  /** The handler failed the call. Details: `[AnswerError, data]`. */
  hostTool: 'HostToolError',
  /** The delivery was given back, not begun. */
  released: 'Released',
  /** The script failed, or a limit ended it. Details: `[RunEnd]`. */
  scriptFailed: 'ScriptFailed',
  /** The time to live ended the run. Details: `[RunEnd]`. */
  expired: 'Expired',
} as const;

/** A tool as a run needs it. */
export interface RunTool {
  input: JsonSchema;
  output?: JsonSchema;
  policy: Policy;
  leaseMs: number;
  timeoutMs?: number;
}

/** A live worker group that accepts some of the run's calls. */
export interface Route {
  group: string;
  /** Tools of the run's toolset that the group has. */
  tools: string[];
  /** The more conditions a group has, the higher; ties go to more free slots. */
  rank: number;
}

/** First argument of a run; the script's own texts are further arguments, so that each is one payload. */
export interface RunStart {
  engine: string;
  namespace: string;
  labels: Labels;
  toolset: string;
  tools: Record<string, RunTool>;
  workflows: string[];
  ttlMs: number;
  /** W3C trace context of the request that started the run. */
  traceparent: string;
  /** Hash of the namespace: Temporal shares out a backlog by it. */
  fairnessKey: string;
  /** Groups that were live at the start. */
  routes: Route[];
  /** When the gateway found them, in ms; absent in runs of older builds. */
  routedAt?: number;
}

/** Second argument. */
export interface RunProgram {
  /** As it was sent. */
  script: string;
  code: string;
  /** Source map from `code` to `script`. */
  map: string;
}

/** Third argument: `{ json }` of the input, or `{}` where none was given. */
export interface RunInput {
  json?: string;
}

/** Memo of a run. Shown to callers through `Run`, so no secrets. */
export interface RunMemo {
  namespace: string;
  toolset: string;
  labels: Labels;
  ttlMs: number;
  /** Of script and input: what a second use of the idempotency key is compared with. */
  requestHash: string;
  retryOf?: string;
  /** While the run waits; absent while it runs. */
  waitingFor?: Wait[];
  /** Signals that nothing waits for, as of then. */
  unreadSignals?: { name: string; count: number }[];
  /** Calls made, as of then, or when the run ended. */
  calls?: number;
}

/** Header of a delivery, as JSON. */
export interface DeliveryHeader {
  seq: number;
  attempt: number;
  policy: Policy;
  leaseMs: number;
  toolset: string;
  namespace: string;
  labels: Labels;
  traceparent: string;
  /** When the time to live ends the run: no deferral lasts longer. */
  expiresAt: string;
  line?: number;
}

/** Result of a delivery's activity. */
export type DeliveryResult = { value: unknown } | { deferred: { until: string } };

/**
 * A failed answer, of a claim or of a deferral. Its data is a second detail of the failure, or the
 * second argument of the signal: it may be large, and the rest is to be read without it.
 */
export interface AnswerError {
  message: string;
  /** Of older gateways. */
  data?: unknown;
  retryable?: boolean;
  retryAfterMs?: number;
}

/** Signal `answer`: the answer to a deferred call. */
export interface Answer {
  seq: number;
  /** Hash of the answer: equal repeats are told apart from other answers. */
  hash: string;
  /** The value, or the data of the error, is the signal's second argument. */
  result:
    { ok: true; /** Of older gateways. */ value?: unknown } | { ok: false; error: AnswerError };
}
export type AnswerVerdict = 'taken' | 'repeated' | 'conflict' | 'unknown';

/** Signal `signal`: for the script. */
export interface RunSignal {
  name: string;
  payload?: unknown;
  /** Idempotency key; a second signal with it is dropped. */
  key: string;
}

export const answerSignal = defineSignal<[answer: Answer, body: unknown]>('answer');
export const runSignal = defineSignal<[RunSignal]>('signal');
/** A worker group appeared: route the parked calls anew. */
export const workersSignal = defineSignal<[]>('workers');

/** What a run says of itself while it is open. */
export interface Progress {
  waitingFor: Wait[];
  calls: number;
  unreadSignals: { name: string; count: number }[];
}
/**
 * JSON in UTF-8. Binary payloads are never put into the store of large values: what a query gives is
 * read once.
 */
export type Reply = Uint8Array;
/** Replies with `Progress`. */
export const progressQuery = defineQuery<Reply>('progress');
/** Replies with the log, as in `RunEnd`. */
export const logQuery = defineQuery<Reply>('log');
/** What became of an answer: asked right after it was sent. */
export const answerQuery = defineQuery<AnswerVerdict, [{ seq: number; hash: string }]>('answer');
/** State of one call: asked when the reply to a `defer` was lost. */
export const callQuery = defineQuery<{ state: CallState; until?: string } | undefined, [number]>(
  'call',
);
/** Replies with `CallRecord[]`: calls that left no event, refused ones and such as no worker took yet. */
export const callsQuery = defineQuery<Reply>('calls');

/** A call that the history does not show by itself. */
export interface CallRecord {
  seq: number;
  tool: string;
  input: unknown;
  line?: number;
  state: CallState;
  attempt: number;
  at: string;
  error?: RunError;
}

/** How a run ended: result of the workflow, or detail of its failure. */
export interface RunEnd {
  /** JSON text. */
  outputJson?: string;
  error?: RunError;
  calls: number;
  log: { text: string; lines: number; droppedLines: number };
  /** Of the calls that the history does not show by itself. */
  records: CallRecord[];
}

/** Memo of a terminate: the run could not end by itself. */
export interface TerminateDetails {
  state: 'failed' | 'canceled' | 'expired';
  error: RunError;
}
