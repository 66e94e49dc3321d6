import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities';
import { Arrival } from './arrival';
import type { Route, RunStart } from './contract';

/**
 * No local activity: its result, and with it the workflow task, is lost where the cache of runs needs
 * the run's place before the task is over.
 */
const { findRoutes } = proxyActivities<Activities>({
  startToCloseTimeout: '5s',
  retry: { initialInterval: '200ms', maximumInterval: '10s' },
});

/**
 * A call is routed by what was true so short a time ago. The queue of a group that has died is
 * emptied for longer than that.
 */
const FRESH_MS = 10_000;
/** An answer shows that its group lives, but not what other groups have come. */
const ASK_MS = 60_000;

/**
 * Which worker group a call goes to. Known from the start, asked for again when old; a call that no
 * live group accepts waits here, at no cost, until a gateway says that workers appeared.
 */
export class Routes {
  private known: readonly Route[];
  private askedAt: number;
  /** When a worker of a group was last known to live, where that is later than the asking. */
  private readonly seenAt = new Map<string, number>();
  private appearance = new Arrival();
  private asking: Promise<void> | undefined;

  constructor(private readonly start: RunStart) {
    this.known = start.routes;
    // A run may begin long after its start, when the groups of then are gone and their queues empty.
    this.askedAt = start.routedAt ?? Date.now();
  }

  /** Some worker group appeared: parked calls look again. */
  workersAppeared(): void {
    const { appearance } = this;
    this.appearance = new Arrival();
    appearance.come();
  }

  /** A worker of the group has just answered. */
  answered(group: string): void {
    this.seenAt.set(group, Date.now());
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
      const { appearance } = this;
      if (refresh || !this.isFresh(this.pick(tool))) await this.ask();
      const route = this.pick(tool);
      if (route) return route.group;
      options.onPark();
      await appearance.wait();
      refresh = true;
    }
  }

  private isFresh(route: Route | undefined): boolean {
    if (!route) return false;
    const now = Date.now();
    const seenAt = Math.max(this.askedAt, this.seenAt.get(route.group) ?? 0);
    return now - seenAt < FRESH_MS && now - this.askedAt < ASK_MS;
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
    // What is true at some moment of the asking is as old as its beginning.
    const askedAt = Date.now();
    this.known = await findRoutes({ toolset, namespace, labels, tools: Object.keys(tools) });
    this.askedAt = askedAt;
    this.seenAt.clear();
  }
}
