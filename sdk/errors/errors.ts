import type { Diagnostic } from '../protocol/error-codes';
import { brand, hasBrand } from './brand';

/** What every error of this package knows. */
export interface RewindErrorDetails {
  code: string;
  status?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** Base of all errors that a request to Rewind, or a wrong use of the client, ends with. */
export class RewindError extends Error {
  /** Stable, for programs: `not_found`, `run_ended`, …; texts may change. */
  readonly code: string;
  /** HTTP status, where the server answered. */
  declare readonly status?: number;
  /** To name in a report: the server's log has it too. */
  declare readonly requestId?: string;

  constructor(message: string, details: RewindErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    if (details.status !== undefined) this.status = details.status;
    if (details.requestId !== undefined) this.requestId = details.requestId;
  }

  /** Like `instanceof`, and true also for an error of another copy of this package. */
  static isInstance(this: void, value: unknown): value is RewindError {
    return hasBrand(value, 'RewindError');
  }
}

/** Thrown when there is no answer: the server is unreachable, too slow, or the connection was cut. */
export class ConnectionError extends RewindError {
  static override isInstance(this: void, value: unknown): value is ConnectionError {
    return hasBrand(value, 'ConnectionError');
  }
}

/** Thrown when a request is malformed (400); `field` names what is wrong where one field is. */
export class BadRequestError extends RewindError {
  declare readonly field?: string;

  constructor(message: string, details: RewindErrorDetails & { field?: string | undefined }) {
    super(message, details);
    if (details.field !== undefined) this.field = details.field;
  }

  static override isInstance(this: void, value: unknown): value is BadRequestError {
    return hasBrand(value, 'BadRequestError');
  }
}

/** Thrown when a key's client names no end user: use `rewind.namespace(id)`. */
export class NamespaceRequiredError extends BadRequestError {
  static override isInstance(this: void, value: unknown): value is NamespaceRequiredError {
    return hasBrand(value, 'NamespaceRequiredError');
  }
}

/** Thrown when the credential is missing, unknown, revoked or expired (401). */
export class AuthenticationError extends RewindError {
  static override isInstance(this: void, value: unknown): value is AuthenticationError {
    return hasBrand(value, 'AuthenticationError');
  }
}

/** Thrown when the credential is valid but lacks the right that the request needs (403). */
export class PermissionError extends RewindError {
  static override isInstance(this: void, value: unknown): value is PermissionError {
    return hasBrand(value, 'PermissionError');
  }
}

/** Thrown when there is no such thing, or it belongs to somebody else (404): both look the same. */
export class NotFoundError extends RewindError {
  static override isInstance(this: void, value: unknown): value is NotFoundError {
    return hasBrand(value, 'NotFoundError');
  }
}

/** Thrown when the request contradicts what is already so (409). */
export class ConflictError extends RewindError {
  /** The run that the idempotency key stands for, where that is the conflict. */
  declare readonly runId?: string;

  constructor(message: string, details: RewindErrorDetails & { runId?: string | undefined }) {
    super(message, details);
    if (details.runId !== undefined) this.runId = details.runId;
  }

  static override isInstance(this: void, value: unknown): value is ConflictError {
    return hasBrand(value, 'ConflictError');
  }
}

/** Thrown when the run has ended: signals and answers no longer reach it. */
export class RunEndedError extends ConflictError {
  static override isInstance(this: void, value: unknown): value is RunEndedError {
    return hasBrand(value, 'RunEndedError');
  }
}

/** Thrown when something is over a limit (413); the message names what and the unit. */
export class TooLargeError extends RewindError {
  readonly limit: number;

  constructor(message: string, details: RewindErrorDetails & { limit: number }) {
    super(message, details);
    this.limit = details.limit;
  }

  static override isInstance(this: void, value: unknown): value is TooLargeError {
    return hasBrand(value, 'TooLargeError');
  }
}

/** Thrown when the type-checker refused the script (422): nothing was run. */
export class ScriptRefusedError extends RewindError {
  readonly diagnostics: Diagnostic[];

  constructor(message: string, details: RewindErrorDetails & { diagnostics: Diagnostic[] }) {
    super(message, details);
    this.diagnostics = details.diagnostics;
  }

  static override isInstance(this: void, value: unknown): value is ScriptRefusedError {
    return hasBrand(value, 'ScriptRefusedError');
  }
}

/** Thrown when a quota of the end user is used up (429). It is not retried: waiting alone does not help. */
export class QuotaError extends RewindError {
  readonly quota: string;
  readonly limit: number;

  constructor(message: string, details: RewindErrorDetails & { quota: string; limit: number }) {
    super(message, details);
    this.quota = details.quota;
    this.limit = details.limit;
  }

  static override isInstance(this: void, value: unknown): value is QuotaError {
    return hasBrand(value, 'QuotaError');
  }
}

/** Thrown when there were too many requests (429), after the retries. */
export class RateLimitError extends RewindError {
  /** Seconds after which the server would accept a request again. */
  readonly retryAfter: number;

  constructor(message: string, details: RewindErrorDetails & { retryAfter: number }) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }

  static override isInstance(this: void, value: unknown): value is RateLimitError {
    return hasBrand(value, 'RateLimitError');
  }
}

/** Thrown when the server failed (5xx), after the retries, or answered what nobody can read. */
export class ServerError extends RewindError {
  static override isInstance(this: void, value: unknown): value is ServerError {
    return hasBrand(value, 'ServerError');
  }
}

brand(RewindError, 'RewindError');
brand(ConnectionError, 'ConnectionError');
brand(BadRequestError, 'BadRequestError');
brand(NamespaceRequiredError, 'NamespaceRequiredError');
brand(AuthenticationError, 'AuthenticationError');
brand(PermissionError, 'PermissionError');
brand(NotFoundError, 'NotFoundError');
brand(ConflictError, 'ConflictError');
brand(RunEndedError, 'RunEndedError');
brand(TooLargeError, 'TooLargeError');
brand(ScriptRefusedError, 'ScriptRefusedError');
brand(QuotaError, 'QuotaError');
brand(RateLimitError, 'RateLimitError');
brand(ServerError, 'ServerError');
