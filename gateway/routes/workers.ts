import type { Handlers, Services } from '../handler';

/** Workers: known by their claims and heartbeats, so they only say when they go. */
export function workerRoutes({ engine }: Services): Pick<Handlers, 'leaveWorker'> {
  return {
    leaveWorker: async ({ scope, body }) => {
      await engine.leave(scope, body.worker);
      return { ok: true };
    },
  };
}
