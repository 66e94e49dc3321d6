import type { Duration } from '../protocol/duration';
import type { JsonSchema } from '../protocol/json';
import type { Policy } from '../protocol/toolset';
import type { HostToolHandler } from '../worker/context';
import type { TypedSchema } from './standard-schema';

/** JSON Schema (draft 2020-12 or 7), zod 4, or any Standard Schema that can give its JSON Schema. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema of anything types a handler's input as any
export type Schema<T = any> = JsonSchema | TypedSchema<T>;

/** How a host tool is declared in a toolset. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- declarations of different inputs stand in one record
export interface ToolDeclaration<I = any> {
  /** What the tool does, for the model that writes scripts. */
  description: string;
  /** What the script passes; checked before the call is made. */
  input: Schema<I>;
  /** What the script gets; left out, it is `any` in scripts. */
  output?: Schema;
  /**
   * `retry`: a call whose worker was lost is made again, with the same idempotency key, up to 5
   * attempts. `at_most_once`: it never is; the script gets `outcomeUnknown: true`. Default `retry`.
   */
  policy?: Policy;
  /** `true`: a person approves each call before it is made. Default `false`. */
  approval?: boolean;
  /** How long a claim lives without heartbeats, `"1s"` to `"1h"`. Default `"60s"`. */
  lease?: Duration;
  /** Most time from claim to answer of one delivery; a deferral has its own. Default: none. */
  timeout?: Duration;
}

/**
 * Declaration and handler in one object, for `toolsets.create` and for `worker`. A schema with types
 * (zod) types the handler's input, which the worker parses with it: defaults and transforms hold.
 *
 * @example
 * const find = tool({
 *   description: 'Find a customer by email.',
 *   input: z.object({ email: z.string() }),
 *   handler: async ({ email }, ctx) => crm.find(ctx.namespace, email),
 * });
 */
export function tool<I>(
  definition: Omit<ToolDeclaration, 'input'> & {
    input: TypedSchema<I>;
    handler: HostToolHandler<I>;
  },
): ToolDeclaration & { handler: HostToolHandler };
export function tool(
  definition: ToolDeclaration & { handler: HostToolHandler },
): ToolDeclaration & { handler: HostToolHandler };
export function tool(
  definition: ToolDeclaration & { handler: HostToolHandler },
): ToolDeclaration & { handler: HostToolHandler } {
  return definition;
}
