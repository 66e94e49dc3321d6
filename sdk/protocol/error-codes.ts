import { z } from 'zod';

/**
 * The stable codes of the wire and the HTTP status of each. Codes are never renamed or reused;
 * texts may change.
 */
export const errorStatus = {
  /** A field is missing or wrong; `field` names it. */
  invalid_request: 400,
  /** The key acts for nobody: the request needs an end user (`Rewind-Namespace`). */
  namespace_required: 400,
  /** No credential, or one that is not valid (any more). */
  unauthenticated: 401,
  /** A valid credential without the right that the request needs. */
  forbidden: 403,
  /** No such thing, or one of somebody else. */
  not_found: 404,
  method_not_allowed: 405,
  /** The body did not arrive in time. */
  request_timeout: 408,
  /** The idempotency key was used with other arguments; `runId` names the run. */
  idempotency_conflict: 409,
  /** The run has ended: signals and answers no longer reach it. */
  run_ended: 409,
  /** Another answer to the call came first. */
  already_answered: 409,
  /** The claim is lost: it expired, was released, or the run ended. */
  claim_lost: 409,
  /** Over a limit; `limit` has it, in the unit that the message names. */
  too_large: 413,
  unsupported_media_type: 415,
  /** The type-checker refused the script; `diagnostics` says why. */
  script_refused: 422,
  quota_reached: 429,
  rate_limited: 429,
  internal: 500,
  /** The engine or the database cannot be reached now. */
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** One problem that the type-checker found, at its place in the text that was sent. */
export interface Diagnostic {
  /** From 1, in the text that was sent. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** `TS2304`, or `RW…` for a rule of Rewind's own. */
  code: string;
  message: string;
  /** The lines around it, with a mark. */
  frame: string;
  /** What to do instead, where the mistake is a known one. */
  hint?: string;
  /** Declaration of the tool that the line calls, where it helps. */
  declared?: string;
}

export const diagnosticSchema: z.ZodType<Diagnostic> = z.object({
  line: z.int(),
  column: z.int(),
  code: z.string(),
  message: z.string(),
  frame: z.string(),
  hint: z.string().exactOptional(),
  declared: z.string().exactOptional(),
});

/** Every response that is not 2xx has this body. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    requestId: z.string().exactOptional(),
    field: z.string().exactOptional(),
    limit: z.number().exactOptional(),
    runId: z.string().exactOptional(),
    quota: z.string().exactOptional(),
    retryAfter: z.number().exactOptional().meta({ description: 'Seconds' }),
    diagnostics: z.array(diagnosticSchema).exactOptional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
