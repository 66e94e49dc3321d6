import { z } from 'zod';
import { diagnosticSchema } from './error-codes';
import { durationBetween, parseDuration } from './duration';
import { jsonValue } from './json';
import { labelsSchema, type Labels } from './labels';
import { limits } from './limits';
import { listQuery } from './page';
import { toolsetIdSchema } from './toolset';

/** `waiting`: everything waits for a person, an answer by token, a signal, a time or a worker that is not there. */
export type RunState = 'running' | 'waiting' | 'completed' | 'failed' | 'canceled' | 'expired';
export type CallState =
  'awaiting_approval' | 'pending' | 'claimed' | 'deferred' | 'completed' | 'failed' | 'dropped';
/** Why a call failed, as the script sees it in `ToolError.code`. */
export type ToolErrorCode =
  | 'failed'
  | 'denied'
  | 'timed_out'
  | 'outcome_unknown'
  | 'attempts_exhausted'
  | 'invalid_arguments'
  | 'invalid_result';

export const runStates = [
  'running',
  'waiting',
  'completed',
  'failed',
  'canceled',
  'expired',
] as const satisfies readonly RunState[];
export const callStates = [
  'awaiting_approval',
  'pending',
  'claimed',
  'deferred',
  'completed',
  'failed',
  'dropped',
] as const satisfies readonly CallState[];
export const toolErrorCodes = [
  'failed',
  'denied',
  'timed_out',
  'outcome_unknown',
  'attempts_exhausted',
  'invalid_arguments',
  'invalid_result',
] as const satisfies readonly ToolErrorCode[];

/** What ended a run, at its place in the text that was sent. */
export interface RunError {
  /** `ToolError`, `TypeError`, …; `LimitError` where a limit ended the run. */
  name: string;
  message: string;
  code?: ToolErrorCode | 'limit';
  /** `data` of the `ToolError`. */
  data?: unknown;
  line?: number;
  column?: number;
  /** The lines around it, with a mark. */
  frame?: string;
  /** The call that failed, where one did. */
  seq?: number;
  /** The call may have happened. */
  outcomeUnknown?: boolean;
  /** Which limit: `cpu`, `memory`, `stack`, `output`, … where `code` is `limit`. */
  limit?: string;
}

export const runErrorSchema: z.ZodType<RunError> = z.object({
  name: z.string(),
  message: z.string(),
  code: z.enum([...toolErrorCodes, 'limit']).exactOptional(),
  data: jsonValue.exactOptional(),
  line: z.int().exactOptional(),
  column: z.int().exactOptional(),
  frame: z.string().exactOptional(),
  seq: z.int().exactOptional(),
  outcomeUnknown: z.boolean().exactOptional(),
  limit: z.string().exactOptional(),
});

/** One thing that a run waits for. Times are ISO 8601 in UTC, lines are those of the script as sent. */
export type Wait =
  | {
      kind: 'tool';
      seq: number;
      tool: string;
      state: CallState;
      attempt: number;
      since: string;
      /** A live worker takes such calls. */
      served: boolean;
      deadline?: string;
      line?: number;
    }
  | { kind: 'approval'; approval: string; seq: number; tool: string; line?: number }
  | { kind: 'signal'; name: string; deadline?: string; line?: number }
  | { kind: 'sleep'; until: string; line?: number }
  | {
      kind: 'run';
      run: string;
      seq: number;
      /** Name of the workflow that the run is of. */
      workflow?: string;
      line?: number;
    };

const line = { line: z.int().exactOptional() };
export const waitSchema: z.ZodType<Wait> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tool'),
    seq: z.int(),
    tool: z.string(),
    state: z.enum(callStates),
    attempt: z.int(),
    since: z.string(),
    served: z.boolean(),
    deadline: z.string().exactOptional(),
    ...line,
  }),
  z.object({
    kind: z.literal('approval'),
    approval: z.string(),
    seq: z.int(),
    tool: z.string(),
    ...line,
  }),
  z.object({
    kind: z.literal('signal'),
    name: z.string(),
    deadline: z.string().exactOptional(),
    ...line,
  }),
  z.object({ kind: z.literal('sleep'), until: z.string(), ...line }),
  z.object({
    kind: z.literal('run'),
    run: z.string(),
    seq: z.int(),
    workflow: z.string().exactOptional(),
    ...line,
  }),
]);

/** One durable execution of a script. */
export interface Run {
  id: string;
  state: RunState;
  namespace: string;
  toolset: string;
  labels: Labels;
  /** Tool calls made so far. */
  calls: number;
  retryOf?: string;
  /** Of a retry: calls that were answered from the record of the run before. */
  fromRecord?: number;
  /** Of a retry: the first call that was made again or anew, once there is one. */
  liveFrom?: { seq: number; line?: number };
  createdAt: string;
  /** When the time to live ends the run. */
  expiresAt: string;
  endedAt?: string;
  /** Empty when the run has ended or is only computing. */
  waitingFor: Wait[];
  /** Signals that were sent and that nothing waits for. */
  unreadSignals?: { name: string; count: number }[];
  /** When completed. */
  output?: unknown;
  /** When failed, canceled or expired. */
  error?: RunError;
}

export const runSchema: z.ZodType<Run> = z.object({
  id: z.string(),
  state: z.enum(runStates),
  namespace: z.string(),
  toolset: z.string(),
  labels: labelsSchema,
  calls: z.int(),
  retryOf: z.string().exactOptional(),
  fromRecord: z.int().exactOptional(),
  liveFrom: z.object({ seq: z.int(), ...line }).exactOptional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  endedAt: z.string().exactOptional(),
  waitingFor: z.array(waitSchema),
  unreadSignals: z.array(z.object({ name: z.string(), count: z.int() })).exactOptional(),
  output: jsonValue.exactOptional(),
  error: runErrorSchema.exactOptional(),
});

/** One call of a run, read from the engine's history. */
export interface TraceEntry {
  seq: number;
  tool: string;
  input: unknown;
  state: CallState;
  attempt: number;
  /** Answered from the record of an earlier run. */
  fromRecord: boolean;
  line?: number;
  startedAt?: string;
  endedAt?: string;
  result?: unknown;
  error?: RunError;
  /** It was answered, or is to be answered, by the token of a deferral. */
  deferred?: boolean;
  /** Who approved or denied it. */
  decidedBy?: string;
  /** What they said: the note of an approval, the reason of a denial. */
  decisionNote?: string;
}

export const traceEntrySchema: z.ZodType<TraceEntry> = z.object({
  seq: z.int(),
  tool: z.string(),
  input: jsonValue,
  state: z.enum(callStates),
  attempt: z.int(),
  fromRecord: z.boolean(),
  line: z.int().exactOptional(),
  startedAt: z.string().exactOptional(),
  endedAt: z.string().exactOptional(),
  result: jsonValue.exactOptional(),
  error: runErrorSchema.exactOptional(),
  deferred: z.boolean().exactOptional(),
  decidedBy: z.string().exactOptional(),
  decisionNote: z.string().exactOptional(),
});

export const runIdSchema = z.string().regex(/^run_[0-9a-z]{8,58}$/, { error: 'is not a run id' });

export const createRunBody = z.strictObject({
  script: z.string(),
  toolset: toolsetIdSchema,
  input: jsonValue.exactOptional(),
  labels: labelsSchema.exactOptional(),
  ttl: durationBetween(1_000, limits.ttlMs).exactOptional(),
});

export const signalBody = z.strictObject({
  name: z.string().min(1).max(limits.signalNameLength),
  payload: jsonValue.exactOptional(),
});

export const cancelBody = z.strictObject({
  reason: z.string().max(limits.reasonLength).exactOptional(),
});

export const retryRunBody = z.strictObject({
  script: z.string().exactOptional(),
  /** Make a call of unknown outcome again, which else is answered from the record. */
  repeatUnknown: z.boolean().exactOptional(),
});

/** `label=key=value`, repeated. Only the first `=` divides. */
export const labelFilter = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .refine((pairs) => pairs.length <= limits.labels, { error: `at most ${limits.labels} labels` })
  .refine((pairs) => pairs.every((pair) => pair.indexOf('=') > 0), { error: 'must be key=value' })
  .transform((pairs): Labels =>
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  );

export const listRunsQuery = z.strictObject({
  ...listQuery,
  state: z.enum(runStates).optional(),
  label: labelFilter.optional(),
});

export const retrieveRunQuery = z.strictObject({
  wait: durationBetween(0, limits.retrieveWaitMs)
    .transform((text) => parseDuration(text) ?? 0)
    .optional(),
});

export const checkScriptBody = z.strictObject({ script: z.string(), toolset: toolsetIdSchema });

export const checkResultSchema = z.object({
  ok: z.boolean(),
  diagnostics: z.array(diagnosticSchema),
  tools: z.array(z.string()).meta({ description: 'Tools that the script can call' }),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
