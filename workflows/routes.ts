import { condition, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { Route, RunStart } from './contract';

const { findRoutes } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 3, initialInterval: '200ms' },
});

/** Older routes are asked for again before a call is routed by them. */
const FRESH_MS = 10_000;

/**
 * Which worker group a call goes to. Known from the start, asked for again when old; a call that no
 * live group accepts waits here, at no cost, until a gateway says that workers appeared.
 */
export class Routes {
  private known: readonly Route[];
  private askedAt: number;
  private appeared = 0;
  private asking: Promise<void> | undefined;

  constructor(private readonly start: RunStart) {
    this.known = start.routes;
    // A run may begin long after its start, when the groups of then are gone and their queues empty.
    this.askedAt = start.routedAt ?? Date.now();
  }

  /** Some worker group appeared: parked calls look again. */
  workersAppeared(): void {
    this.appeared += 1;
  }

  /** Whether a live group was known for the tool. */
  served(tool: string): boolean {
    return this.pick(tool) !== undefined;
  }

  /**
   * A group that accepts the tool, at once or when one appears. `onPark` runs when it has to wait,
   * `refresh` asks anew even where a route is known (the last one failed).
   */
  async find(tool: string, options: { refresh: boolean; onPark: () => void }): Promise<string> {
    let { refresh } = options;
    for (;;) {
      const seen = this.appeared;
      if (refresh || Date.now() - this.askedAt >= FRESH_MS || !this.pick(tool)) await this.ask();
      const route = this.pick(tool);
      if (route) return route.group;
      options.onPark();
      await condition(() => this.appeared !== seen);
      refresh = true;
    }
  }

  private pick(tool: string): Route | undefined {
    let best: Route | undefined;
    for (const route of this.known) {
      if (route.tools.includes(tool) && (!best || route.rank > best.rank)) best = route;
    }
    return best;
  }

  /** Calls made side by side share one question. */
  private ask(): Promise<void> {
    this.asking ??= this.load().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async load(): Promise<void> {
    const { toolset, namespace, labels, tools } = this.start;
    this.known = await findRoutes({ toolset, namespace, labels, tools: Object.keys(tools) });
    this.askedAt = Date.now();
  }
}
