import { z } from 'zod';
import { durationBetween } from './duration';
import { jsonValue } from './json';
import { labelsSchema } from './labels';
import { limits } from './limits';
import { toolsetIdSchema } from './toolset';

/** Opaque and sealed; carries the run's labels, hence the length. */
const token = z.string().min(1).max(65_536);

export const workerId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, { error: 'is not a worker id' });

export const claimBody = z.strictObject({
  /** Names of the tools that the worker has handlers for. */
  tools: z.array(z.string().min(1).max(limits.toolNameLength)).min(1).max(limits.toolsetTools),
  toolset: toolsetIdSchema.exactOptional(),
  wait: durationBetween(0, limits.pollWaitMaxMs),
  worker: workerId,
  /** Handlers that the worker can still start. */
  slots: z.int().min(0).max(10_000).exactOptional(),
});

/** One delivery of a call, as a claim brings it. */
export const taskSchema = z.object({
  token,
  tool: z.string(),
  input: jsonValue,
  runId: z.string(),
  seq: z.int(),
  attempt: z.int(),
  policy: z.enum(['retry', 'at_most_once']),
  leaseMs: z.int().meta({ description: 'The claim is lost after so long without a heartbeat' }),
  namespace: z.string(),
  labels: labelsSchema,
  traceparent: z.string(),
  credentials: z.record(z.string(), z.string()),
});
export type Task = z.infer<typeof taskSchema>;

/** `task` is null when the wait ended without one. */
export const claimResult = z.object({ task: taskSchema.nullable() });

export const heartbeatBody = z.strictObject({
  worker: workerId,
  tasks: z
    .array(z.strictObject({ token, begun: z.boolean() }))
    .min(1)
    .max(1000),
});
/** In the order of the request. `lost`: drop the result and abort the handler. */
export const heartbeatResult = z.object({
  tasks: z.array(z.object({ status: z.enum(['ok', 'lost', 'retry']) })),
});

export const deferBody = z.strictObject({
  token,
  timeout: durationBetween(1, limits.ttlMs).exactOptional(),
});
export const deferResult = z.object({ token, deadline: z.string() });

export const releaseBody = z.strictObject({ token });
export const completeBody = z.strictObject({ token, result: jsonValue.exactOptional() });
export const failBody = z.strictObject({
  token,
  error: z.strictObject({
    message: z.string(),
    data: jsonValue.exactOptional(),
    /** Only a claim's answer heeds these two. */
    retryable: z.boolean().exactOptional(),
    retryAfterMs: z.int().min(0).max(86_400_000).exactOptional(),
  }),
});
export const leaveBody = z.strictObject({ worker: workerId });
export const okResult = z.object({ ok: z.literal(true) });
