import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { operations, type Operation, type OperationName } from '../sdk/protocol';
import { readJson } from './body';
import { requireRight, scopeOf } from './caller';
import { ApiError, notFound } from './errors';
import type { Answer, Context, Handler, Handlers, Services } from './handler';
import { noteCaller, noteOperation } from './request-log';
import { traceparentOf } from './traceparent';
import { idempotencyHeader, namespaceHeader, validate } from './validation';

/** Of an operation that takes none: so unknown fields are refused there too. */
const noQuery = z.strictObject({});

/** One route for every operation of the protocol. */
export function operationRoutes(
  services: Services,
  handlers: Handlers,
  bodyTimeoutMs: number,
): Router {
  const router = Router({ caseSensitive: true });
  const methods = new Map<string, Set<string>>();
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    // Each handler gets the context of its own operation; the loop cannot know which.
    const handler = handlers[name] as Handler<OperationName>;
    const serve = async (request: Request, response: Response): Promise<void> => {
      noteOperation(response, name);
      const context = await letIn(services, operation, bodyTimeoutMs, request, response);
      const answer = await handler(context);
      if (answer !== undefined) context.reply(answer);
    };
    router[operation.method](operation.path, serve);
    const known = methods.get(operation.path) ?? new Set();
    methods.set(operation.path, known.add(operation.method.toUpperCase()));
  }
  for (const [path, known] of methods) {
    router.all(path, (request, response) => {
      response.setHeader('Allow', [...known].join(', '));
      throw new ApiError('method_not_allowed', `${request.method} is not allowed here`);
    });
  }
  return router;
}

/** The steps from outside to inside: who, whether, for whom, and only then what. */
async function letIn(
  services: Services,
  operation: Operation,
  bodyTimeoutMs: number,
  request: Request,
  response: Response,
): Promise<Context<OperationName>> {
  const caller = await services.authenticator.authenticate(request);
  noteCaller(response, caller.id);
  requireRight(caller, operation.right);
  const scope = scopeOf(caller, namespaceHeader(request));
  const idempotencyKey = idempotencyHeader(request);
  const params: unknown = operation.params && checkParams(operation, request.params);
  const query: unknown = validate(operation.query ?? noQuery, { ...request.query }, 'the query');
  const body: unknown =
    operation.body && validate(operation.body, await readJson(request, bodyTimeoutMs), 'the body');
  const checked = { params, query, body };
  return {
    // The schemas of the same operation gave these three.
    ...(checked as Pick<Context<OperationName>, keyof typeof checked>),
    caller,
    scope,
    idempotencyKey,
    traceparent: traceparentOf(request),
    signal: closeSignal(response),
    reply: (answer: Answer<OperationName>) => {
      if (response.headersSent || response.destroyed || !response.socket?.writable) return false;
      response.status(operation.status).json(answer);
      return true;
    },
  };
}

/** A malformed id names nothing, and says so in the same words as one that is missing. */
function checkParams(operation: Operation, params: unknown): unknown {
  const parsed = operation.params?.safeParse(params);
  if (parsed?.success) return parsed.data;
  const [, , resource] = operation.path.split('/');
  if (resource === 'runs') throw notFound('run');
  throw notFound(resource === 'toolsets' ? 'toolset' : 'key');
}

function closeSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
