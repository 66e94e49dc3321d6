import { Router, type Response } from 'express';
import { unavailable } from '../errors';
import type { Services } from '../handler';
import { openApi } from '../openapi';
import { noteOperation } from '../request-log';

/** What is asked for by operators and their machines, without a key. */
export function operatorRoutes(services: Services, version: string): Router {
  const router = Router();
  const document = openApi(version);
  router.get('/healthz', (_request, response) => {
    noteOperation(response, 'health', 'quiet');
    response.json({ ok: true });
  });
  router.get('/readyz', async (_request, response) => {
    noteOperation(response, 'ready', 'quiet');
    await ready(services);
    response.json({ ok: true });
  });
  router.get('/metrics', async (_request, response: Response) => {
    noteOperation(response, 'metrics', 'quiet');
    const { registry } = services.metrics;
    response.type(registry.contentType).send(await registry.metrics());
  });
  router.get('/v1/openapi.json', (_request, response) => {
    noteOperation(response, 'openapi', 'quiet');
    response.json(document);
  });
  return router;
}

const PART_MS = 2_000;

/** Fails, naming the parts that do not answer. */
async function ready({ store, engine }: Services): Promise<void> {
  const parts = { database: () => store.ping(), engine: () => engine.ready() };
  const states = await Promise.all(
    Object.entries(parts).map(async ([name, ask]) => ((await answers(ask)) ? undefined : name)),
  );
  const silent = states.filter((name) => name !== undefined);
  if (silent.length > 0) throw unavailable(`not ready: ${silent.join(', ')}`);
}

async function answers(ask: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PART_MS);
  });
  const asked = Promise.resolve()
    .then(ask)
    .then(
      () => true,
      () => false,
    );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
