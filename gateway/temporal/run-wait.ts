import type { Scope } from '../engine';
import type { Access } from './access';
import { endIfBlocked } from './blocked';
import { describeRun, type Description, type RunFacts } from './describe';
import { waitForClose } from './history';
import { hasEnded, stateOf } from './run-view';

/** How often an open run is looked at while somebody waits: soon at first, then once a second. */
const LOOK_MS = [100, 200, 300, 500, 1000];

interface Look {
  facts: RunFacts;
  description: Description;
}

/** The run when its state has changed, or when the time is over. An ended run answers at once. */
export async function waitForChange(
  access: Access,
  scope: Scope,
  id: string,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<Look> {
  const deadline = Date.now() + waitMs;
  let look = await describeRun(access, scope, id);
  const before = stateOf(look.facts);
  if (hasEnded(before)) return look;
  if (await endIfBlocked(access, look.facts, look.description)) {
    return describeRun(access, scope, id);
  }
  if (waitMs === 0) return look;
  const stop = new AbortController();
  // Where it cannot be told, the looks go on without it.
  const closed = waitForClose(access, id, stop.signal).catch(
    () => new Promise<never>(() => undefined),
  );
  try {
    for (let round = 0; Date.now() < deadline && !signal?.aborted; round += 1) {
      const pauseMs = Math.min(LOOK_MS[round] ?? 1000, deadline - Date.now());
      await Promise.race([closed, pause(pauseMs)]);
      look = await describeRun(access, scope, id);
      if (stateOf(look.facts) !== before) return look;
      if (await endIfBlocked(access, look.facts, look.description)) {
        return await describeRun(access, scope, id);
      }
    }
    return look;
  } finally {
    stop.abort();
  }
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
