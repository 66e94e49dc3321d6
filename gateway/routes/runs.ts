import { randomUUID } from 'node:crypto';
import { defaults, limits, parseDuration } from '../../sdk/protocol';
import { labelsFor } from '../caller';
import type { ListRange, TextRange } from '../engine';
import { namespaceRequired, scriptRefused } from '../errors';
import type { Handlers, Services } from '../handler';
import { jsonWithin, textWithin } from '../sizes';
import { checkScope, findToolset } from './toolsets';

type RunOperations =
  | 'createRun'
  | 'listRuns'
  | 'retrieveRun'
  | 'runOutput'
  | 'runLog'
  | 'runTrace'
  | 'signalRun'
  | 'cancelRun';

/** Runs: a script is checked here, everything after that is the engine's. */
export function runRoutes({ store, checker, engine }: Services): Pick<Handlers, RunOperations> {
  return {
    createRun: async ({ body, caller, scope, idempotencyKey, traceparent }) => {
      if (scope.namespace === undefined) throw namespaceRequired();
      const labels = labelsFor(caller, body.labels);
      textWithin(body.script, 'the script', limits.scriptBytes, 'script');
      const inputJson =
        body.input === undefined
          ? undefined
          : jsonWithin(body.input, 'the input', limits.inputBytes, 'input');
      const toolset = await findToolset(store, body.toolset);
      const outcome = await checker.check(body.script, checkScope(toolset));
      if (!outcome.ok) throw scriptRefused(outcome.diagnostics);
      return engine.startRun({
        namespace: scope.namespace,
        labels,
        toolset,
        script: body.script,
        code: outcome.script.code,
        map: outcome.script.map,
        ...(inputJson !== undefined && { inputJson }),
        ttlMs: parseDuration(body.ttl) ?? defaults.ttlMs,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        traceparent,
      });
    },
    listRuns: ({ scope, query: { state, label, ...range } }) =>
      engine.listRuns(scope, {
        ...listRange(range),
        ...(state && { state }),
        ...(label && { labels: label }),
      }),
    retrieveRun: ({ scope, params, query, signal }) =>
      engine.run(scope, params.id, {
        signal,
        ...(query.wait !== undefined && { waitMs: query.wait }),
      }),
    runOutput: ({ scope, params, query }) => engine.output(scope, params.id, textRange(query)),
    runLog: ({ scope, params, query }) => engine.log(scope, params.id, textRange(query)),
    runTrace: ({ scope, params, query: { from, ...range } }) =>
      engine.trace(scope, params.id, { ...listRange(range), ...(from !== undefined && { from }) }),
    signalRun: async ({ scope, params, body, idempotencyKey }) => {
      const { name, payload } = body;
      if (payload !== undefined) {
        jsonWithin(payload, 'the payload', limits.signalBytes, 'payload');
      }
      await engine.signal(scope, params.id, {
        name,
        ...(payload !== undefined && { payload }),
        key: idempotencyKey ?? randomUUID(),
      });
      return { ok: true };
    },
    cancelRun: ({ scope, params, body }) => engine.cancel(scope, params.id, body.reason),
  };
}

interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** With the defaults of a list. */
export function listRange({ limit = defaults.pageRows, cursor }: ListQuery): ListRange {
  return { limit, ...(cursor !== undefined && { cursor }) };
}

function textRange(query: { offset?: number | undefined; limit?: number | undefined }): TextRange {
  return { offset: query.offset ?? 0, limit: query.limit ?? limits.outputBytes };
}
