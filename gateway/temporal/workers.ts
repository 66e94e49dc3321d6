import { WORKER_SILENCE_MS } from '../../store/routes';
import type { WorkerGroup } from '../../store/types';
import type { Access } from './access';
import type { ParkedRuns } from './parked-runs';

/** A worker's row is written at most so often. */
const WRITE_MS = 10_000;
/** A worker whose connection broke is dead unless it is seen within so long: longer than it pauses. */
const RETURN_MS = 20_000;

interface SeenWorker {
  group?: WorkerGroup;
  writtenAt: number;
}

/** What this gateway sees of workers, on its way into the directory. */
export class Workers {
  private readonly seen = new Map<string, SeenWorker>();

  constructor(
    private readonly access: Access,
    private readonly parked: ParkedRuns,
  ) {}

  /** A worker claims. */
  async see(id: string, group: WorkerGroup, slots: number): Promise<void> {
    const now = Date.now();
    const seen = this.seen.get(id);
    if (seen?.group?.id === group.id && now - seen.writtenAt < WRITE_MS) return;
    this.write(id, now, group);
    try {
      const appeared = await this.access.store.seeWorker({ id, group, slots, at: new Date(now) });
      this.parked.see(group, { appeared });
    } catch (error) {
      this.seen.delete(id);
      throw error;
    }
  }

  /** A worker that only heartbeats (all its slots are in use) is alive as well. */
  async touch(id: string): Promise<void> {
    const now = Date.now();
    const seen = this.seen.get(id);
    if (seen && now - seen.writtenAt < WRITE_MS) return;
    this.write(id, now, seen?.group);
    await this.access.store.touchWorkers([id], new Date(now));
  }

  /** Their claims wait here. Gives those that are not in the directory. */
  async seeWaiting(waiting: readonly string[]): Promise<string[]> {
    const now = Date.now();
    this.forgetSilent(now);
    const ids = [...new Set(waiting)];
    const asked = new Map(ids.map((id) => [id, this.seen.get(id)]));
    const there = new Set(await this.access.store.touchWorkers(ids, new Date(now)));
    for (const id of there) {
      const group = this.seen.get(id)?.group;
      this.write(id, now, group);
      if (group) this.parked.see(group, { appeared: false });
    }
    // One that was written meanwhile may have come after the question.
    const missing = ids.filter((id) => !there.has(id) && this.seen.get(id) === asked.get(id));
    for (const id of missing) this.seen.delete(id);
    return missing;
  }

  /** The connection of its only claim here broke: it is gone, or comes back soon. */
  async suspect(id: string): Promise<void> {
    this.seen.delete(id);
    const at = Date.now();
    await this.access.store.suspectWorker({
      id,
      at: new Date(at),
      until: new Date(at + RETURN_MS),
    });
  }

  async leave(id: string): Promise<void> {
    this.seen.delete(id);
    await this.access.store.removeWorker(id);
  }

  private write(id: string, now: number, group: WorkerGroup | undefined): void {
    this.seen.set(id, { writtenAt: now, ...(group && { group }) });
  }

  private forgetSilent(now: number): void {
    for (const [id, { writtenAt }] of this.seen) {
      if (now - writtenAt > WORKER_SILENCE_MS) this.seen.delete(id);
    }
  }
}
