import { z } from 'zod';
import { jsonSchema, type JsonSchema } from './json';
import { limits } from './limits';
import { listQuery } from './page';
import { toolsetIdSchema, type WorkflowRef } from './toolset';

/** One version of a saved script that other scripts can call. Immutable. */
export interface Workflow extends WorkflowRef {
  description: string;
  script: string;
  /** What the script is checked against and calls, whoever calls it. */
  toolset: string;
  input?: JsonSchema;
  output?: JsonSchema;
  createdAt: string;
}

/** A row of a list: everything but the script. */
export type WorkflowSummary = Omit<Workflow, 'script'>;

export const workflowNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, { error: 'must be a lower-case name such as weekly_report' });

const summary = {
  name: z.string(),
  version: z.int(),
  description: z.string(),
  toolset: z.string(),
  input: jsonSchema.exactOptional(),
  output: jsonSchema.exactOptional(),
  createdAt: z.string(),
};
export const workflowSummarySchema: z.ZodType<WorkflowSummary> = z.object(summary);
export const workflowSchema: z.ZodType<Workflow> = z.object({ ...summary, script: z.string() });

export const saveWorkflowBody = z.strictObject({
  name: workflowNameSchema,
  description: z.string().max(limits.workflowDescriptionLength),
  script: z.string(),
  toolset: toolsetIdSchema,
  input: jsonSchema.exactOptional(),
  output: jsonSchema.exactOptional(),
});

/** `version`: left out, the newest that is not deleted. */
export const retrieveWorkflowQuery = z.strictObject({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'must be a version number' })
    .transform(Number)
    .optional(),
});

/** `toolset`: the versions that it pins; left out, the newest of each name. */
export const listWorkflowsQuery = z.strictObject({
  ...listQuery,
  toolset: toolsetIdSchema.optional(),
  query: z.string().max(limits.queryLength).optional(),
});
