import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { WORKER_SILENCE_MS } from '../../store/routes';
import type { Drain } from '../../store/types';
import type { Access } from './access';
import type { Claims } from './claims';

/** The directory is looked at so often. */
const LOOK_MS = 5_000;
/** A gateway that does not look for so long is gone: others empty its queues. */
const HOLD_MS = 15_000;
/** Where no gateway was up for a while, workers get so long to be seen again. */
const BEGIN_MS = 15_000;
/** Queues that one gateway empties at once. */
const DRAINS = 100;

/**
 * Empties the queues of worker groups that have died: each call is given back to its run, which
 * finds another group or parks it. One gateway does it for a group, as the directory says.
 */
export class DeadGroups {
  private readonly holder = randomUUID();
  private readonly draining = new Set<string>();
  private readonly begunAt = Date.now();
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly access: Access,
    private readonly claims: Claims,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    this.timer.unref();
  }

  /** Looks now: a worker has left. */
  async look(): Promise<void> {
    await this.looking;
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined));
    await this.looking;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  private async lookOnce(): Promise<void> {
    if (this.closed) return;
    const { store } = this.access;
    const now = Date.now();
    const since = new Date(now - WORKER_SILENCE_MS);
    try {
      if (now - this.begunAt >= BEGIN_MS) await store.dropSilentWorkers(since);
      const drains = await store.takeDrains({
        holder: this.holder,
        since,
        at: new Date(now),
        until: new Date(now + HOLD_MS),
        limit: DRAINS,
      });
      const dead = new Set(drains.map(({ group }) => group));
      for (const group of this.draining) if (!dead.has(group)) this.claims.endDrain(group);
      for (const drain of drains) if (!this.draining.has(drain.group)) void this.drain(drain);
    } catch (error) {
      if (!this.closed) this.logger.warn({ err: error }, 'could not look for dead worker groups');
    }
  }

  private async drain(drain: Drain): Promise<void> {
    this.draining.add(drain.group);
    try {
      if (await this.claims.drain(drain.group)) await this.access.store.endDrain(drain);
    } catch (error) {
      this.logger.warn({ err: error }, 'could not end the drain of a dead worker group');
    } finally {
      this.draining.delete(drain.group);
    }
  }
}
