import type { ErrorRequestHandler } from 'express';
import { InvalidCursorError, isUnreachable } from '../store';
import { ApiError, invalidRequest, notFound, unavailable } from './errors';
import { noteError, requestIdOf } from './request-log';

/** The last of the chain: turns whatever was thrown into the one shape of errors. */
export const errorHandler: ErrorRequestHandler = (thrown: unknown, _request, response, _next) => {
  const error = expected(thrown);
  noteError(response, error ?? thrown);
  // The answer has begun: what is left is to cut it short.
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const shown = error ?? new ApiError('internal', 'something went wrong on our side');
  if (shown.code === 'unauthenticated') response.setHeader('WWW-Authenticate', 'Bearer');
  if (shown.details.retryAfter !== undefined) {
    response.setHeader('Retry-After', String(Math.ceil(shown.details.retryAfter)));
  }
  response.status(shown.status).json(shown.body(requestIdOf(response)));
};

/** What the caller is to know, or nothing where the fault is ours. */
function expected(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof InvalidCursorError)
    return invalidRequest(`cursor: ${error.message}`, 'cursor');
  if (isUnreachable(error)) {
    return unavailable('the database cannot be reached now; try again', { cause: error });
  }
  // A path that is not valid percent-encoding names nothing.
  if (error instanceof URIError) return notFound('route');
  return undefined;
}
