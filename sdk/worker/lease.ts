import { ConflictError } from '../errors/errors';
import type { Task } from '../protocol/task';

/**
 * A worker's right to one delivery. `held` until it is `lost` (which aborts the handler's signal) or
 * `over` (answered or deferred: nothing aborts the signal any more). The first of the two stays.
 *
 * The server counts the lease from when it received a heartbeat, which was after it was sent: so it is
 * measured here from the moment of sending, and ends here no later than there.
 */
export class Lease {
  readonly intervalMs: number;
  /** `true` once the server accepted a heartbeat, `false` when the lease was lost before. */
  readonly acknowledged: Promise<boolean>;
  #state: 'held' | 'lost' | 'over' = 'held';
  #since: number;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #acknowledge: (accepted: boolean) => void = () => undefined;

  constructor(
    readonly task: Task,
    now: number,
  ) {
    this.#since = now;
    this.intervalMs = task.leaseMs / 3;
    this.acknowledged = new Promise((resolve) => (this.#acknowledge = resolve));
  }

  /** The handler's signal: aborted when the lease is lost, with the reason. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborted when the lease is no longer held, for whatever reason: ends waits of our own. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get held(): boolean {
    return this.#state === 'held';
  }

  get lost(): boolean {
    return this.#state === 'lost';
  }

  /** Why it is no longer held. */
  get reason(): Error {
    return this.lost
      ? (this.signal.reason as Error)
      : new ConflictError('the call is already answered or deferred', { code: 'claim_lost' });
  }

  get expiresAt(): number {
    return this.#since + this.task.leaseMs;
  }

  /** A heartbeat that was sent at this time was accepted. */
  accept(sentAt: number): void {
    this.#since = Math.max(this.#since, sentAt);
    this.#acknowledge(true);
  }

  /** `true` where it is still held; loses it where its time has passed. */
  check(now: number): boolean {
    if (this.held && now >= this.expiresAt) {
      this.lose('no heartbeat was accepted for as long as the lease lasts');
    }
    return this.held;
  }

  lose(why: string, cause?: unknown): void {
    if (!this.held) return;
    this.#state = 'lost';
    const { tool, runId, seq } = this.task;
    const message = `the claim of ${tool} (${runId}/${seq}) is lost: ${why}`;
    this.#acknowledge(false);
    this.#ended.abort();
    this.#lost.abort(new ConflictError(message, { code: 'claim_lost', cause }));
  }

  /** Answered or deferred. */
  end(): void {
    if (!this.held) return;
    this.#state = 'over';
    this.#acknowledge(false);
    this.#ended.abort();
  }
}
