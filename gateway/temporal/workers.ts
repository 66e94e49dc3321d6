import type { Logger } from 'pino';
import { WORKER_SILENCE_MS, accepts } from '../../store/routes';
import type { WorkerGroup } from '../../store/types';
import { SCRIPT_RUN, workersSignal } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import { factsOf } from './describe';
import { isNotFound } from './faults';

/** A worker's row is written at most so often. */
const WRITE_MS = 10_000;
/** When runs with parked calls are told of a group that appeared: the index may lag behind. */
const ANNOUNCE_MS = [0, 2_000, 10_000, 30_000];
const ANNOUNCE_AGAIN_MS = 60_000;

interface SeenWorker {
  group: WorkerGroup;
  writtenAt: number;
}

/** The directory of live workers, and the news of it to runs whose calls wait for one. */
export class Workers {
  private readonly seen = new Map<string, SeenWorker>();
  private readonly lastClaim = new Map<string, number>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private closed = false;

  constructor(
    private readonly access: Access,
    private readonly logger: Logger,
  ) {}

  /** A worker claims, or heartbeats. */
  async see(id: string, group: WorkerGroup, slots: number): Promise<void> {
    const now = Date.now();
    this.lastClaim.set(group.id, now);
    const seen = this.seen.get(id);
    if (seen?.group.id === group.id && now - seen.writtenAt < WRITE_MS) return;
    this.seen.set(id, { group, writtenAt: now });
    const appeared = await this.access.store.seeWorker({ id, group, slots, at: new Date(now) });
    if (appeared || !this.timers.has(group.id)) this.announce(group, appeared ? 0 : 1);
  }

  /** A worker that only heartbeats (all its slots are in use) is alive as well. */
  async touch(id: string): Promise<void> {
    const seen = this.seen.get(id);
    if (seen) await this.see(id, seen.group, 0);
  }

  async leave(id: string): Promise<void> {
    this.seen.delete(id);
    await this.access.store.removeWorker(id);
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private announce(group: WorkerGroup, round: number): void {
    if (this.closed) return;
    clearTimeout(this.timers.get(group.id));
    const timer = setTimeout(
      () => void this.tell(group, round),
      ANNOUNCE_MS[round] ?? ANNOUNCE_AGAIN_MS,
    );
    timer.unref();
    this.timers.set(group.id, timer);
  }

  private async tell(group: WorkerGroup, round: number): Promise<void> {
    if (Date.now() - (this.lastClaim.get(group.id) ?? 0) > WORKER_SILENCE_MS) {
      this.timers.delete(group.id);
      this.lastClaim.delete(group.id);
      for (const [id, seen] of this.seen) if (seen.group.id === group.id) this.seen.delete(id);
      return;
    }
    try {
      await this.wakeParked(group);
    } catch (error) {
      this.logger.warn({ err: error }, 'could not tell parked runs of workers; trying again');
    }
    this.announce(group, round + 1);
  }

  private async wakeParked(group: WorkerGroup): Promise<void> {
    const { connection, namespace } = this.access;
    const tools = group.tools.map((tool) => `'${tool}'`).join(', ');
    let nextPageToken: Uint8Array | undefined;
    do {
      const page = await within(this.access, CALL_MS, () =>
        connection.workflowService.listWorkflowExecutions({
          namespace,
          query: `WorkflowType = '${SCRIPT_RUN}' AND ExecutionStatus = 'Running' AND RewindParked IN (${tools})`,
          pageSize: 1000,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      );
      for (const info of page.executions ?? []) {
        const facts = factsOf(info);
        if (facts && accepts(group, facts.memo)) await this.wake(facts.id);
      }
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
    } while (nextPageToken);
  }

  private async wake(workflowId: string): Promise<void> {
    try {
      await within(this.access, CALL_MS, () =>
        this.access.client.workflow.getHandle(workflowId).signal(workersSignal),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
