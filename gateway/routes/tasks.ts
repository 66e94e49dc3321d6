import { limits, parseDuration } from '../../sdk/protocol';
import type { TaskError } from '../engine';
import { invalidRequest } from '../errors';
import type { Handlers, Services } from '../handler';
import { cutText, jsonWithin } from '../sizes';

type TaskOperations =
  'claimTask' | 'heartbeatTasks' | 'deferTask' | 'releaseTask' | 'completeTask' | 'failTask';

/** Tasks: claims of workers, and the answers to calls. */
export function taskRoutes({ engine, metrics }: Services): Pick<Handlers, TaskOperations> {
  return {
    claimTask: async ({ scope, body, signal, reply }) => {
      refuseNames(body.tools);
      let written = false;
      const end = metrics.claimWaits();
      try {
        await engine.claim({
          scope,
          tools: [...new Set(body.tools)],
          ...(body.toolset !== undefined && { toolset: body.toolset }),
          worker: body.worker,
          slots: body.slots ?? 1,
          waitMs: parseDuration(body.wait) ?? 0,
          signal,
          handOver: (task) => {
            if (written) return false;
            written = reply({ task });
            return written;
          },
        });
      } finally {
        end();
      }
      return written ? undefined : { task: null };
    },
    heartbeatTasks: async ({ scope, body }) => {
      const states = await engine.heartbeat(scope, body.worker, body.tasks);
      return { tasks: states.map((status) => ({ status })) };
    },
    deferTask: ({ scope, body }) => engine.defer(scope, body.token, parseDuration(body.timeout)),
    releaseTask: async ({ scope, body }) => {
      await engine.release(scope, body.token);
      return { ok: true };
    },
    completeTask: async ({ scope, body }) => {
      const result = body.result ?? null;
      jsonWithin(result, 'the result', limits.resultBytes, 'result');
      await engine.complete(scope, body.token, result);
      return { ok: true };
    },
    failTask: async ({ scope, body: { token, error } }) => {
      const { data, retryable, retryAfterMs } = error;
      if (data !== undefined) {
        jsonWithin(data, 'the data of the error', limits.errorDataBytes, 'error.data');
      }
      const failure: TaskError = {
        message: cutText(error.message, limits.errorMessageBytes),
        ...(data !== undefined && { data }),
        ...(retryable !== undefined && { retryable }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
      await engine.fail(scope, token, failure);
      return { ok: true };
    },
  };
}

/** No toolset declares such names; a claim for them would wait in vain. */
function refuseNames(tools: readonly string[]): void {
  const at = tools.findIndex((name) => !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name));
  if (at < 0) return;
  throw invalidRequest(`tools[${at}]: is not a tool name`, `tools[${at}]`);
}
