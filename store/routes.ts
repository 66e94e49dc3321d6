import { hasLabels, type Labels } from '../sdk/protocol';
import type { LiveGroup, Store, WorkerGroup } from './types';

/** A worker that was not seen for so long is dead. */
export const WORKER_SILENCE_MS = 45_000;
/** One that lives is seen more often than that: among equals, calls go past the others. */
const FRESH_MS = 25_000;

/** The calls of a run, as worker groups see them. */
export interface RunCalls {
  toolset: string;
  namespace: string;
  labels: Labels;
  tools: readonly string[];
}

/** A live group that accepts some of a run's calls. The higher the rank, the more specific. */
export interface GroupRoute {
  group: string;
  tools: string[];
  rank: number;
}

/** `true` where the group takes calls of the run, of the tools that it has. */
export function accepts(group: WorkerGroup, run: Omit<RunCalls, 'tools'>): boolean {
  return (
    (group.toolset === undefined || group.toolset === run.toolset) &&
    (group.namespace === undefined || group.namespace === run.namespace) &&
    hasLabels(run.labels, group.labels)
  );
}

/** Most specific first, then those seen of late, then most free slots. */
export async function routesFor(store: Store, run: RunCalls): Promise<GroupRoute[]> {
  const now = Date.now();
  const since = new Date(now - WORKER_SILENCE_MS);
  const groups = await store.liveGroups({ tools: run.tools, since });
  const wanted = new Set(run.tools);
  return groups
    .filter((group) => accepts(group, run))
    .sort(
      (a, b) =>
        rank(b) - rank(a) ||
        fresh(b, now) - fresh(a, now) ||
        b.slots - a.slots ||
        (a.id < b.id ? -1 : 1),
    )
    .map((group) => ({
      group: group.id,
      tools: group.tools.filter((tool) => wanted.has(tool)),
      rank: rank(group),
    }));
}

function rank(group: LiveGroup): number {
  return (
    (group.toolset === undefined ? 0 : 1) +
    (group.namespace === undefined ? 0 : 1) +
    Object.keys(group.labels ?? {}).length
  );
}

function fresh({ lastSeen }: LiveGroup, now: number): number {
  return now - lastSeen.getTime() <= FRESH_MS ? 1 : 0;
}
