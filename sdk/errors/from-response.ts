import { z } from 'zod';
import { errorBodySchema } from '../protocol/error-codes';
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  NamespaceRequiredError,
  NotFoundError,
  PermissionError,
  QuotaError,
  RateLimitError,
  RewindError,
  RunEndedError,
  ScriptRefusedError,
  ServerError,
  TooLargeError,
} from './errors';

/** A newer server may know more codes than this client: the status then decides. */
const lenientBody = z.object({ error: errorBodySchema.shape.error.extend({ code: z.string() }) });
type Fields = z.infer<typeof lenientBody>['error'];

/** What is read of a response that is not 2xx. */
export interface FailedResponse {
  status: number;
  body: string;
  requestId?: string | undefined;
  /** Seconds, from the `Retry-After` header. */
  retryAfter?: number | undefined;
}

/** The one place where answers become errors. */
export function errorFromResponse(response: FailedResponse): RewindError {
  const { status } = response;
  const fields = readBody(response.body);
  const code = fields?.code ?? `http_${status}`;
  const message = fields?.message ?? `the server answered ${status} without a readable error`;
  const details = { code, status, requestId: fields?.requestId ?? response.requestId };
  const retryAfter = response.retryAfter ?? fields?.retryAfter;

  if (status >= 300 && status < 400) {
    return new RewindError(
      'the server answered with a redirect, which is not followed: check baseURL',
      {
        ...details,
        code: 'redirected',
      },
    );
  }
  if (status === 400 && code === 'namespace_required') {
    return new NamespaceRequiredError(message, { ...details, field: fields?.field });
  }
  if (status === 400 || status === 405 || status === 415) {
    return new BadRequestError(message, { ...details, field: fields?.field });
  }
  if (status === 401) return new AuthenticationError(message, details);
  if (status === 403) return new PermissionError(message, details);
  if (status === 404) return new NotFoundError(message, details);
  if (status === 408) return new ConnectionError(message, details);
  if (status === 409) {
    const conflict = { ...details, runId: fields?.runId };
    return code === 'run_ended'
      ? new RunEndedError(message, conflict)
      : new ConflictError(message, conflict);
  }
  if (status === 413)
    return new TooLargeError(message, { ...details, limit: fields?.limit ?? NaN });
  if (status === 422) {
    return new ScriptRefusedError(message, { ...details, diagnostics: fields?.diagnostics ?? [] });
  }
  if (status === 429) {
    return code === 'quota_reached'
      ? new QuotaError(message, {
          ...details,
          quota: fields?.quota ?? 'unknown',
          limit: fields?.limit ?? NaN,
        })
      : new RateLimitError(message, { ...details, retryAfter: retryAfter ?? 1 });
  }
  return status >= 500 ? new ServerError(message, details) : new RewindError(message, details);
}

function readBody(text: string): Fields | undefined {
  try {
    return lenientBody.safeParse(JSON.parse(text)).data?.error;
  } catch {
    return undefined; // a proxy's page, or nothing
  }
}
