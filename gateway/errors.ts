import { errorStatus, type Diagnostic, type ErrorBody, type ErrorCode } from '../sdk/protocol';

/** What an error says besides its code and message. */
export interface ErrorDetails {
  field?: string;
  limit?: number;
  runId?: string;
  /** Seconds; also sent as the `Retry-After` header. */
  retryAfter?: number;
  diagnostics?: Diagnostic[];
}

/** An error that the caller is to see. Anything else that is thrown becomes `internal`. */
export class ApiError extends Error {
  readonly status: number;
  /** For the log only. */
  subject?: string;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = errorStatus[code];
  }

  /** The body of the response. */
  body(requestId: string): ErrorBody {
    // The answer for what is missing and for what is somebody else's is the same to the byte.
    const id = this.code === 'not_found' ? {} : { requestId };
    return { error: { code: this.code, message: this.message, ...id, ...this.details } };
  }
}

/** A field is missing or wrong. `field`: its path, such as `tools.add.input`. */
export function invalidRequest(message: string, field?: string): ApiError {
  return new ApiError('invalid_request', message, field === undefined ? {} : { field });
}

/** The request needs an end user. */
export function namespaceRequired(): ApiError {
  return new ApiError(
    'namespace_required',
    'this key acts for nobody in particular: name the end user in the header Rewind-Namespace',
  );
}

/** No credential, or one that is not valid. Says no more than that. */
export function unauthenticated(): ApiError {
  return new ApiError(
    'unauthenticated',
    'send one valid API key in the header "Authorization: Bearer rk_…"',
  );
}

/** A valid credential that may not do this. */
export function forbidden(message: string, field?: string): ApiError {
  return new ApiError('forbidden', message, field === undefined ? {} : { field });
}

/** No such thing, or one of somebody else: the two read the same. `id` goes into the log alone. */
export function notFound(what: 'run' | 'toolset' | 'key' | 'route', id?: string): ApiError {
  const error = new ApiError('not_found', `no such ${what}`);
  if (id !== undefined) error.subject = id;
  return error;
}

/** The run has ended, and what was sent no longer reaches it. */
export function runEnded(id: string): ApiError {
  return new ApiError('run_ended', `run ${id} has ended`, { runId: id });
}

/** The claim expired, was released, or its run ended; also for a token that is none. */
export function claimLost(): ApiError {
  return new ApiError(
    'claim_lost',
    'the claim is lost: it expired, was given back, or its run has ended',
  );
}

/** Another answer to the call came first. */
export function alreadyAnswered(): ApiError {
  return new ApiError('already_answered', 'the call was already answered differently');
}

/** The idempotency key was used for another request. */
export function idempotencyConflict(runId: string): ApiError {
  return new ApiError(
    'idempotency_conflict',
    `the idempotency key was used with other arguments, for run ${runId}`,
    { runId },
  );
}

/** Over a limit. `what` begins the sentence: `the script`; sizes are in `unit`. */
export function tooLarge(
  what: string,
  size: number | undefined,
  limit: number,
  { unit = 'bytes', field }: { unit?: string; field?: string } = {},
): ApiError {
  const has = size === undefined ? 'is too large' : `has ${size} ${unit}`;
  return new ApiError('too_large', `${what} ${has}; the limit is ${limit} ${unit}`, {
    limit,
    ...(field === undefined ? {} : { field }),
  });
}

/** The type-checker refused the script. */
export function scriptRefused(diagnostics: Diagnostic[]): ApiError {
  const first = diagnostics[0];
  const at = first ? `: line ${first.line}, ${first.code}: ${first.message}` : '';
  return new ApiError('script_refused', `the script was refused${at}`, { diagnostics });
}

/** The engine or the database cannot be reached now. */
export function unavailable(
  message = 'the engine cannot be reached now; try again',
  options: { retryAfter?: number; cause?: unknown } = {},
): ApiError {
  const { retryAfter = 1, cause } = options;
  return new ApiError('unavailable', message, { retryAfter }, { cause });
}
