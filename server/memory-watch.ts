/** What a cache of runs is told by the memory of its process. */
export interface MemoryWatch {
  stop(): void;
}

export interface MemoryWatchOptions {
  /** What the process may use, in bytes. */
  limit: number;
  /** Runs in the cache now. */
  cached: () => number;
  /** Empties the cache and makes it one of so many runs at most. */
  shrink: (runs: number) => Promise<void>;
  /** Resident memory of the process; another one for tests. */
  resident?: () => number;
  everyMs?: number;
}

/** At this share of the limit the cache shrinks: what is in hand still needs room. */
const HIGH = 0.75;
/** What the cache is made for, so that it does not shrink again at once. */
const TARGET = 0.55;
const FEWEST_RUNS = 2;
/** Memory is given back some time after a shrink. */
const REST_MS = 5_000;

/**
 * Watches what the process uses. How much a run needs is known only when it is there: 1.5 MB or 64,
 * so no count of runs is right for all; and the process must not grow until it is killed, since its
 * runs would then kill the next one.
 */
export function watchMemory(options: MemoryWatchOptions): MemoryWatch {
  const {
    limit,
    cached,
    shrink,
    resident = () => process.memoryUsage.rss(),
    everyMs = 100,
  } = options;
  const empty = resident();
  let busy = false;
  let notBefore = 0;
  const timer = setInterval(() => {
    if (busy || Date.now() < notBefore) return;
    const used = resident();
    const runs = cached();
    if (used < limit * HIGH || runs <= FEWEST_RUNS) return;
    busy = true;
    void shrink(fitting({ runs, used, empty, limit })).finally(() => {
      busy = false;
      notBefore = Date.now() + REST_MS;
    });
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** How many runs like those that are there fit; always fewer than there are. */
export function fitting(now: { runs: number; used: number; empty: number; limit: number }): number {
  const { runs, used, empty, limit } = now;
  const perRun = Math.max(used - empty, 1) / runs;
  const room = Math.max(limit * TARGET - empty, 0);
  return Math.max(FEWEST_RUNS, Math.min(Math.floor(room / perRun), Math.floor(runs * 0.8)));
}
