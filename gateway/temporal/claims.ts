import type { Logger } from 'pino';
import type { Claim, Scope } from '../engine';
import type { Access } from './access';
import { GroupQueue } from './group-queue';
import { groupOf } from './identity';
import { SilentWorkers } from './silent-workers';
import type { Workers } from './workers';

/** Workers whose claims wait are seen so often. */
const SEE_MS = 10_000;

/** Claims of workers, by the group that each makes with its like. */
export class Claims {
  private readonly queues = new Map<string, GroupQueue>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;
  private readonly silentWorkers = new SilentWorkers((worker) => {
    this.endClaims(worker).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'could not end the claims of a silent worker');
    });
  });

  constructor(
    private readonly access: Access,
    private readonly workers: Workers,
    private readonly release: (taskToken: Uint8Array) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.seeWaiting(), SEE_MS);
    this.timer.unref();
  }

  async claim(claim: Claim): Promise<void> {
    if (this.closed) {
      claim.handOver(null);
      return;
    }
    const { scope, tools, toolset, worker, slots } = claim;
    const group = groupOf({
      tools,
      ...(toolset === undefined ? {} : { toolset }),
      ...(scope.namespace === undefined ? {} : { namespace: scope.namespace }),
      ...(scope.labels && Object.keys(scope.labels).length > 0 ? { labels: scope.labels } : {}),
    });
    this.silentWorkers.heard(worker);
    await this.workers.see(worker, group, slots);
    const connected = await this.with(group.id, (queue) => queue.claim(this.watched(claim)));
    if (!connected && !this.waits(worker)) await this.workers.suspect(worker);
  }

  /** The worker sent heartbeats. */
  heard(worker: string): void {
    this.silentWorkers.heard(worker);
  }

  /** A task was answered, deferred or given back. */
  answered(token: string): void {
    this.silentWorkers.answered(token);
  }

  async leave(_scope: Scope, worker: string): Promise<void> {
    await Promise.all([this.endClaims(worker), this.workers.leave(worker)]);
  }

  /** Gives back what is in the queue of a dead group. True once it is empty. */
  drain(group: string): Promise<boolean> {
    return this.with(group, (queue) => queue.drain());
  }

  endDrain(group: string): void {
    this.queues.get(group)?.endDrain();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.silentWorkers.close();
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
  }

  /** Notes what the worker is given. */
  private watched(claim: Claim): Claim {
    return {
      ...claim,
      handOver: (task) => {
        const taken = claim.handOver(task);
        if (task && taken) this.silentWorkers.handed(claim.worker, task.token, task.leaseMs);
        return taken;
      },
    };
  }

  private async with<T>(group: string, use: (queue: GroupQueue) => Promise<T>): Promise<T> {
    let queue = this.queues.get(group);
    if (!queue) {
      queue = new GroupQueue(this.access, group, this.release, this.logger);
      this.queues.set(group, queue);
    }
    const result = await use(queue);
    if (queue.idle) this.queues.delete(group);
    return result;
  }

  private waits(worker: string): boolean {
    return [...this.queues.values()].some((queue) => queue.workers.includes(worker));
  }

  private async endClaims(worker: string): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.leave(worker)));
  }

  /**
   * A claim may wait for longer than a worker may be silent. One whose worker is not in the directory
   * (it told another gateway that it stops, or was lost from it) ends: whoever lives claims again.
   */
  private async seeWaiting(): Promise<void> {
    for (const [group, queue] of this.queues) if (queue.idle) this.queues.delete(group);
    const waiting = [...this.queues.values()].flatMap((queue) => queue.workers);
    try {
      for (const worker of await this.workers.seeWaiting(waiting)) {
        void this.endClaims(worker);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'could not note which workers wait');
    }
  }
}
