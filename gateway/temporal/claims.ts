import type { Logger } from 'pino';
import type { Claim, Scope } from '../engine';
import type { Access } from './access';
import { GroupQueue } from './group-queue';
import { groupOf } from './identity';
import type { Workers } from './workers';

/** Claims of workers, by the group that each makes with its like. */
export class Claims {
  private readonly queues = new Map<string, GroupQueue>();
  private closed = false;

  constructor(
    private readonly access: Access,
    private readonly workers: Workers,
    private readonly release: (taskToken: Uint8Array) => Promise<void>,
    private readonly logger: Logger,
  ) {}

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
    await this.workers.see(worker, group, slots);
    let queue = this.queues.get(group.id);
    if (!queue) {
      queue = new GroupQueue(this.access, group, this.release, this.logger);
      this.queues.set(group.id, queue);
    }
    await queue.claim(claim);
    if (queue.idle) this.queues.delete(group.id);
  }

  async leave(_scope: Scope, worker: string): Promise<void> {
    for (const queue of this.queues.values()) queue.leave(worker);
    await this.workers.leave(worker);
  }

  close(): void {
    this.closed = true;
    for (const queue of this.queues.values()) queue.close();
  }
}
