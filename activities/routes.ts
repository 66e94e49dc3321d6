import type { Labels } from '../sdk/protocol';
import { routesFor } from '../store/routes';
import type { Store } from '../store/types';
import type { Route } from '../workflows/contract';

export interface Activities {
  /** The live worker groups that accept calls of the run, by its tools. */
  findRoutes(run: {
    toolset: string;
    namespace: string;
    labels: Labels;
    tools: string[];
  }): Promise<Route[]>;
}

export function createActivities({ store }: { store: Store }): Activities {
  return {
    findRoutes: (run) => routesFor(store, run),
  };
}
