import express, { type Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Checker } from '../check/types';
import type { Store } from '../store/types';
import { createAuthenticator } from './auth';
import type { Engine } from './engine';
import { errorHandler } from './error-handler';
import { notFound } from './errors';
import type { Handlers, Services } from './handler';
import { createMetrics, type Metrics } from './metrics';
import { operationRoutes } from './operations';
import { requestLog } from './request-log';
import { keyRoutes } from './routes/keys';
import { operatorRoutes } from './routes/operators';
import { runRoutes } from './routes/runs';
import { scriptRoutes } from './routes/scripts';
import { taskRoutes } from './routes/tasks';
import { toolsetRoutes } from './routes/toolsets';
import { workerRoutes } from './routes/workers';

/** What the gateway is made of. */
export interface AppParts {
  store: Store;
  checker: Checker;
  engine: Engine;
  logger: Logger;
  /** @default a registry of its own */
  metrics?: Metrics;
  /** Of this build, for the OpenAPI document. */
  version: string;
  /** How long the body of a request may take. @default 20000 */
  bodyTimeoutMs?: number;
}

/** The HTTP API, to be listened on by the server of `createHttpServer`. */
export function createApp(parts: AppParts): Express {
  const { store, checker, engine, logger, version } = parts;
  const metrics = parts.metrics ?? createMetrics();
  const authenticator = createAuthenticator(store, logger);
  const services: Services = { store, checker, engine, authenticator, metrics };
  const handlers: Handlers = {
    ...toolsetRoutes(services),
    ...scriptRoutes(services),
    ...runRoutes(services),
    ...taskRoutes(services),
    ...workerRoutes(services),
    ...keyRoutes(services),
  };

  const app = express();
  app.set('etag', false);
  // Brackets and dots in names are names; repeated fields are lists of texts, and nothing becomes an object.
  app.set('query parser', 'simple');
  app.use(requestLog(logger, metrics));
  app.use(helmet());
  app.use(operatorRoutes(services, version));
  app.use(operationRoutes(services, handlers, parts.bodyTimeoutMs ?? 20_000));
  app.use(() => {
    throw notFound('route');
  });
  app.use(errorHandler);
  return app;
}
