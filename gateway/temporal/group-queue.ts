import { setTimeout as sleep } from 'node:timers/promises';
import type { temporal } from '@temporalio/proto';
import type { Logger } from 'pino';
import type { Claim } from '../engine';
import type { Access } from './access';
import { isUnreachable } from './faults';
import { OpenPolls } from './open-polls';
import { taskOf } from './task-view';

type Polled = temporal.api.workflowservice.v1.IPollActivityTaskQueueResponse;

/** Pause after a poll that failed. */
const RETRY_MS = 1000;
/** A worker whose claim came back empty claims again at once: what comes in between is kept for it. */
const GAP_MS = 500;
/** Polls whose claims broke off are ended after so long: the next claim may need them. */
const SURPLUS_MS = 200;
/** A claim waits at most so long for the end of its poll. */
const END_MS = 1000;
/** Runs send calls by routes that are at most 10 s old; the rest is for the way. */
const STALE_MS = 20_000;
/** Polls of a drain that finds much to give back. */
const DRAIN_POLLS = 4;

interface Waiting {
  claim: Claim;
  /** Its poll is being ended. */
  ending: boolean;
  end: () => void;
}

interface Drain {
  since: number;
  polls: number;
  end: (empty: boolean) => void;
}

/**
 * The queue of one worker group: as many polls open as claims wait. A poll is never aborted, since a
 * task matched to it would be lost; one that outlives its claim serves the next. What no claim waits
 * for is given back, so that the run routes it anew.
 */
export class GroupQueue {
  private readonly waiting: Waiting[] = [];
  private readonly gaps = new Set<() => void>();
  private expected: { worker: string; until: number } | undefined;
  private readonly open: OpenPolls;
  private polls = 0;
  private trimming: NodeJS.Timeout | undefined;
  private drained: Drain | undefined;
  private closed = false;

  constructor(
    private readonly access: Access,
    readonly group: string,
    private readonly release: (taskToken: Uint8Array) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.open = new OpenPolls(access, group);
  }

  /**
   * Waits until the claim got a task, its time is over or its worker is gone. False where the
   * connection broke.
   */
  claim(claim: Claim): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        claim.signal.removeEventListener('abort', drop);
        resolve(!claim.signal.aborted);
      };
      const entry: Waiting = { claim, ending: false, end };
      const drop = () => {
        this.remove(entry);
        this.trimSoon();
        end();
      };
      const timer = setTimeout(() => {
        void this.expire(entry);
      }, claim.waitMs);
      if (claim.signal.aborted) return end();
      claim.signal.addEventListener('abort', drop);
      this.waiting.push(entry);
      this.drained?.end(false);
      this.endGaps();
      this.poll();
    });
  }

  /** Ends the claims of a worker that stops. */
  async leave(worker: string): Promise<void> {
    await this.endClaims(this.waiting.filter(({ claim }) => claim.worker === worker));
    if (this.expected?.worker !== worker) return;
    this.expected = undefined;
    this.endGaps();
  }

  /** Gives back what is in the queue and what comes late. True once it is empty, false where that ended before. */
  drain(): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.closed || this.waiting.length > 0) return resolve(false);
      const end = (empty: boolean) => {
        this.drained = undefined;
        this.trimSoon();
        resolve(empty);
      };
      this.drained = { since: Date.now(), polls: 1, end };
      this.poll();
    });
  }

  /** The group lives again. */
  endDrain(): void {
    this.drained?.end(false);
  }

  get idle(): boolean {
    return this.waiting.length === 0 && this.polls === 0 && !this.drained;
  }

  /** Workers whose claims wait. */
  get workers(): string[] {
    return this.waiting.map(({ claim }) => claim.worker);
  }

  /** No new polls; the claims that wait end, empty but for what the open polls bring. */
  async close(): Promise<void> {
    this.closed = true;
    this.endGaps();
    this.drained?.end(false);
    clearTimeout(this.trimming);
    await this.endClaims([...this.waiting]);
  }

  private async expire(entry: Waiting): Promise<void> {
    if ((await this.endClaims([entry])) === 0) return;
    this.expected = { worker: entry.claim.worker, until: Date.now() + GAP_MS };
  }

  /** The polls first: what they bring meanwhile still has somebody to go to. Gives how many got nothing. */
  private async endClaims(entries: readonly Waiting[]): Promise<number> {
    for (const entry of entries) entry.ending = true;
    await Promise.race([
      this.open.keep(this.closed ? 0 : this.wanted),
      sleep(END_MS, undefined, { ref: false }),
    ]);
    return entries.filter((entry) => this.finish(entry)).length;
  }

  private finish(entry: Waiting): boolean {
    if (!this.remove(entry)) return false;
    entry.claim.handOver(null);
    entry.end();
    return true;
  }

  private remove(entry: Waiting): boolean {
    const index = this.waiting.indexOf(entry);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }

  /** How many polls there should be. */
  private get wanted(): number {
    const claims = this.waiting.filter(({ ending }) => !ending).length;
    return Math.max(claims, this.drained?.polls ?? 0);
  }

  private trimSoon(): void {
    if (this.closed || this.polls <= this.wanted) return;
    this.trimming ??= setTimeout(() => {
      this.trimming = undefined;
      this.trim();
    }, SURPLUS_MS).unref();
  }

  private trim(): void {
    if (!this.closed) void this.open.keep(this.wanted);
  }

  private poll(): void {
    while (!this.closed && this.polls < this.wanted) {
      this.polls += 1;
      void this.pollOnce().finally(() => {
        this.polls -= 1;
        this.poll();
      });
    }
  }

  private async pollOnce(): Promise<void> {
    const begun = Date.now();
    try {
      await this.open.poll(async (polled) => {
        if (polled.taskToken?.length) await this.handOut(polled, polled.taskToken);
        else this.foundNothing(begun);
      });
    } catch (error) {
      if (this.closed) return;
      if (!isUnreachable(error)) this.logger.error({ err: error }, 'a poll failed');
      await sleep(RETRY_MS);
    }
  }

  private async handOut(polled: Polled, taskToken: Uint8Array): Promise<void> {
    const task = await taskOf(this.access, polled, taskToken);
    while (task) {
      for (let entry = this.waiting.shift(); entry; entry = this.waiting.shift()) {
        const taken = entry.claim.handOver(task);
        entry.end();
        if (taken) return;
      }
      if (!(await this.gap())) break;
    }
    if (this.drained) this.drained.polls = Math.min(this.drained.polls + 1, DRAIN_POLLS);
    await this.release(taskToken);
  }

  /** A poll that waited in vain for so long proves that the queue is empty, and stays so. */
  private foundNothing(begun: number): void {
    if (!this.drained) return;
    if (Date.now() - Math.max(begun, this.drained.since) >= STALE_MS) this.drained.end(true);
  }

  /** Waits for the next claim while one is expected; false where none is. */
  private async gap(): Promise<boolean> {
    const ms = (this.expected?.until ?? 0) - Date.now();
    if (ms <= 0 || this.closed) return false;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.gaps.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.gaps.add(end);
    });
    return true;
  }

  private endGaps(): void {
    for (const end of this.gaps) end();
  }
}
