import type { Scope } from '../engine';
import type { Access } from './access';
import { describeRun, type Description, type RunFacts } from './describe';
import { waitForClose, type HistoryEvent } from './history';
import { endedBy, hasEnded, stateOf } from './run-view';
import { endIfStuck } from './stuck';

/** How often an open run is looked at while somebody waits: soon at first, then once a second. */
const LOOK_MS = [100, 200, 300, 500, 1000];

interface Look {
  facts: RunFacts;
  description: Description;
  /** The closing event, where it was seen: it tells all that there is to tell of an ended run. */
  closing?: HistoryEvent;
}

/** The run when its state has changed, or when the time is over. An ended run answers at once. */
export async function waitForChange(
  access: Access,
  scope: Scope,
  id: string,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<Look> {
  const deadline = Date.now() + waitMs;
  const stop = new AbortController();
  // Asked beside the first look, since many runs end sooner than a second question takes. Where it
  // cannot be told, the looks go on without it.
  const closed =
    waitMs === 0
      ? undefined
      : waitForClose(access, id, stop.signal).catch(() => new Promise<never>(() => undefined));
  try {
    let look: Look = await describeRun(access, scope, id);
    const before = stateOf(look.facts);
    if (hasEnded(before)) return look;
    if ((await endIfStuck(access, look.facts, look.description))?.ended) {
      return await describeRun(access, scope, id);
    }
    for (let round = 0; Date.now() < deadline && !signal?.aborted; round += 1) {
      const pauseMs = Math.min(LOOK_MS[round] ?? 1000, deadline - Date.now());
      const closing = await Promise.race([closed, pause(pauseMs)]);
      const facts = closing && endedBy(look.facts, closing);
      if (facts) return { ...look, facts, closing };
      look = await describeRun(access, scope, id);
      if (stateOf(look.facts) !== before) return look;
      if ((await endIfStuck(access, look.facts, look.description))?.ended) {
        return await describeRun(access, scope, id);
      }
    }
    return look;
  } finally {
    stop.abort();
  }
}

const pause = (ms: number) =>
  new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), ms);
  });
