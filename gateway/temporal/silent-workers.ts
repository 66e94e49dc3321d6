/** Heartbeats come every third of a lease: two that fail to come tell of silence before the lease is lost. */
const SILENT_AFTER = 2 / 3;

interface Holder {
  heardAt: number;
  /** The shortest of `held`. */
  leaseMs: number;
  /** Leases of the tasks that it was given here and has not answered here, by token. */
  held: Map<string, number>;
  timer?: NodeJS.Timeout;
}

/**
 * Finds workers that hold a task and say nothing: as where a handler blocks its own event loop. What
 * such a worker's waiting claims were given would lie in its sockets until it is lost too, and again,
 * until the call had no attempt left, while another worker is idle.
 *
 * This gateway knows only what it hears itself. A worker that speaks to another one is taken for silent
 * once for what it holds: its claims end, and it claims again.
 */
export class SilentWorkers {
  private readonly holders = new Map<string, Holder>();
  private readonly holderOf = new Map<string, string>();

  constructor(private readonly silent: (worker: string) => void) {}

  /** The worker was given a task. */
  handed(worker: string, token: string, leaseMs: number): void {
    const now = Date.now();
    const holder = this.holders.get(worker) ?? { heardAt: now, leaseMs, held: new Map() };
    this.holders.set(worker, holder);
    this.holderOf.set(token, worker);
    holder.held.set(token, leaseMs);
    // For less than a new and shorter lease it may have been silent with good reason.
    if (leaseMs < holder.leaseMs) holder.heardAt = now;
    holder.leaseMs = Math.min(holder.leaseMs, leaseMs);
    this.watch(worker, holder);
  }

  /** The worker claims, or sends heartbeats. */
  heard(worker: string): void {
    const holder = this.holders.get(worker);
    if (holder) holder.heardAt = Date.now();
  }

  /** A task was answered, deferred or given back. */
  answered(token: string): void {
    const worker = this.holderOf.get(token);
    const holder = worker === undefined ? undefined : this.holders.get(worker);
    if (worker === undefined || !holder) return;
    this.holderOf.delete(token);
    holder.held.delete(token);
    if (holder.held.size === 0) this.forget(worker, holder);
    else holder.leaseMs = Math.min(...holder.held.values());
  }

  close(): void {
    for (const [worker, holder] of this.holders) this.forget(worker, holder);
  }

  private watch(worker: string, holder: Holder): void {
    clearTimeout(holder.timer);
    const silentAt = holder.heardAt + holder.leaseMs * SILENT_AFTER;
    holder.timer = setTimeout(
      () => {
        if (Date.now() < holder.heardAt + holder.leaseMs * SILENT_AFTER) {
          return this.watch(worker, holder);
        }
        this.forget(worker, holder);
        this.silent(worker);
      },
      Math.max(1, silentAt - Date.now()),
    ).unref();
  }

  private forget(worker: string, holder: Holder): void {
    clearTimeout(holder.timer);
    this.holders.delete(worker);
    for (const token of holder.held.keys()) this.holderOf.delete(token);
  }
}
