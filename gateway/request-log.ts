import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { headers } from '../sdk/protocol';
import { ApiError } from './errors';
import type { Metrics } from './metrics';

/** What the line of a request tells, and nothing else: no header, body, query, token or path. */
interface Notes {
  requestId: string;
  operation: string;
  quiet: boolean;
  caller?: string;
  error?: unknown;
}

const notes = new WeakMap<Response, Notes>();
const notesOf = (response: Response): Notes => {
  const found = notes.get(response);
  if (!found) throw new Error('the request was not begun');
  return found;
};

/** The id that the caller can name to the operator. */
export const requestIdOf = (response: Response): string => notesOf(response).requestId;

/** Which operation a request is for. `quiet`: its line is for debugging only. */
export function noteOperation(response: Response, operation: string, volume?: 'quiet'): void {
  Object.assign(notesOf(response), { operation, quiet: volume === 'quiet' });
}
export function noteCaller(response: Response, caller: string): void {
  notesOf(response).caller = caller;
}
export function noteError(response: Response, error: unknown): void {
  notesOf(response).error = error;
}

/** Gives each request its id, and when it is over writes one line and one measurement. */
export function requestLog(logger: Logger, metrics: Metrics): RequestHandler {
  return (_request: Request, response: Response, next: NextFunction) => {
    const begin = performance.now();
    const requestId = `req_${randomBytes(12).toString('hex')}`;
    notes.set(response, { requestId, operation: 'none', quiet: false });
    response.setHeader(headers.requestId, requestId);
    response.once('close', () => {
      const { operation, quiet, caller, error } = notesOf(response);
      const ms = performance.now() - begin;
      // 499: the caller went away before the answer.
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request(operation, status, ms / 1000);
      const line = {
        requestId,
        operation,
        status,
        ms: Math.round(ms * 10) / 10,
        ...(caller !== undefined && { caller }),
        ...describe(error),
      };
      if (error !== undefined && !(error instanceof ApiError)) logger.error(line, 'request');
      else if (quiet) logger.debug(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}

/** Of an expected error its code; of a fault what is needed to find it, without what it carries. */
function describe(error: unknown): Record<string, unknown> {
  if (error === undefined) return {};
  if (error instanceof ApiError) {
    return {
      code: error.code,
      ...(error.subject !== undefined && { subject: error.subject }),
      ...(error.cause !== undefined && { cause: textOf(error.cause) }),
    };
  }
  const { stack, cause } = error as { stack?: unknown; cause?: unknown };
  return {
    code: 'internal',
    fault: typeof stack === 'string' ? stack : textOf(error),
    ...(cause !== undefined && { cause: textOf(cause) }),
  };
}

function textOf(thrown: unknown): string {
  const { name = 'Error', message } = (thrown ?? {}) as { name?: string; message?: unknown };
  return typeof message === 'string' ? `${name}: ${message}` : typeof thrown;
}
