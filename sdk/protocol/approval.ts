import { z } from 'zod';
import { jsonValue } from './json';
import { labelsSchema, type Labels } from './labels';
import { limits } from './limits';
import { listQuery } from './page';
import { labelFilter, runIdSchema } from './run';

/** One call of a run that waits for a person, with the arguments that it will be made with. */
export interface Approval {
  id: string;
  run: string;
  seq: number;
  tool: string;
  /** Valid by the tool's schema. Exactly these arguments are approved. */
  input: unknown;
  namespace: string;
  labels: Labels;
  requestedAt: string;
}

export const approvalIdSchema = z
  .string()
  .regex(/^apr_[0-9a-z_]{8,80}$/, { error: 'is not an approval id' });

export const approvalSchema: z.ZodType<Approval> = z.object({
  id: z.string(),
  run: z.string(),
  seq: z.int(),
  tool: z.string(),
  input: jsonValue,
  namespace: z.string(),
  labels: labelsSchema,
  requestedAt: z.string(),
});

/** Calls that wait for a decision now: of all runs in scope, or of one. Oldest first. */
export const listApprovalsQuery = z.strictObject({
  ...listQuery,
  run: runIdSchema.optional(),
  label: labelFilter.optional(),
});

/** Who decided, as the caller names them. */
const by = z.string().min(1).max(limits.decidedByLength);

export const approveBody = z.strictObject({
  by,
  note: z.string().max(limits.reasonLength).exactOptional(),
});
export const denyBody = z.strictObject({
  by,
  /** Told to the script, in the message of its `ToolError`. */
  reason: z.string().max(limits.reasonLength).exactOptional(),
});
