import { z } from 'zod';
import { durationBetween, type Duration } from './duration';
import { jsonSchema, type JsonSchema } from './json';
import { limits } from './limits';

/** `retry`: up to 5 attempts. `at_most_once`: a handler is never entered twice for one call. */
export type Policy = 'retry' | 'at_most_once';

/** A tool as it is declared on the wire: schemas are JSON Schema. */
export interface ToolSpec {
  description: string;
  input: JsonSchema;
  output?: JsonSchema;
  policy?: Policy;
  approval?: boolean;
  lease?: Duration;
  timeout?: Duration;
}

const DAY = 86_400_000;

export const toolSpecSchema: z.ZodType<ToolSpec> = z.strictObject({
  description: z.string().max(16_384),
  input: jsonSchema,
  output: jsonSchema.exactOptional(),
  policy: z.enum(['retry', 'at_most_once']).exactOptional(),
  approval: z.boolean().exactOptional(),
  lease: durationBetween(limits.leaseMinMs, limits.leaseMaxMs).exactOptional(),
  timeout: durationBetween(1, 365 * DAY).exactOptional(),
});

/** A saved workflow, pinned at one version. */
export interface WorkflowRef {
  name: string;
  version: number;
}

/** An immutable declaration of tools. The id is made of the content: same content, same id. */
export interface ToolsetObject {
  id: string;
  parent?: string;
  tools: Record<string, ToolSpec>;
  workflows: WorkflowRef[];
  createdAt: string;
}

export const toolsetSchema: z.ZodType<ToolsetObject> = z.object({
  id: z.string(),
  parent: z.string().exactOptional(),
  tools: z.record(z.string(), toolSpecSchema),
  workflows: z.array(z.object({ name: z.string(), version: z.int() })),
  createdAt: z.string(),
});

export const createToolsetBody = z.strictObject({
  tools: z
    .record(z.string(), toolSpecSchema)
    .refine((tools) => Object.keys(tools).length >= 1, { error: 'declare at least one tool' })
    .refine((tools) => Object.keys(tools).length <= limits.toolsetTools, {
      error: `at most ${limits.toolsetTools} tools`,
    }),
});

export const toolsetIdSchema = z
  .string()
  .regex(/^ts_[0-9a-z]{8,64}$/, { error: 'is not a toolset id' });

/** Each name once. A name that the parent pins already is pinned anew. */
export const deriveToolsetBody = z.strictObject({
  workflows: z
    .array(z.strictObject({ name: z.string(), version: z.int().min(1) }))
    .min(1)
    .max(limits.toolsetWorkflows)
    .refine((refs) => new Set(refs.map(({ name }) => name)).size === refs.length, {
      error: 'each name once',
    }),
});
