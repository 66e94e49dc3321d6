import { temporal } from '@temporalio/proto';
import type { Logger } from 'pino';
import type { WorkerGroup } from '../../store/types';
import { GROUP_QUEUE_PREFIX } from '../../workflows/contract';
import type { Claim } from '../engine';
import type { Access } from './access';
import { isUnreachable } from './faults';
import { taskOf } from './task-view';

type Polled = temporal.api.workflowservice.v1.IPollActivityTaskQueueResponse;
const { TaskQueueKind } = temporal.api.enums.v1;

/** The server answers an empty poll shortly before the deadline; shorter deadlines would lose tasks. */
const POLL_MS = 65_000;
/** Pause after a poll that failed. */
const RETRY_MS = 1000;

interface Waiting {
  claim: Claim;
  end: () => void;
}

/**
 * The queue of one worker group: as many polls open as claims wait. A poll is never aborted, since a
 * task matched to it would be lost; one that outlives its claim serves the next.
 */
export class GroupQueue {
  private readonly waiting: Waiting[] = [];
  private polls = 0;
  private closed = false;

  constructor(
    private readonly access: Access,
    readonly group: WorkerGroup,
    private readonly release: (taskToken: Uint8Array) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  /** Waits until the claim got a task, its time is over or its worker is gone. */
  claim(claim: Claim): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        claim.signal.removeEventListener('abort', drop);
        resolve();
      };
      const entry: Waiting = { claim, end };
      const drop = () => {
        this.remove(entry);
        end();
      };
      const timer = setTimeout(() => this.finish(entry), claim.waitMs);
      if (claim.signal.aborted) return end();
      claim.signal.addEventListener('abort', drop);
      this.waiting.push(entry);
      this.poll();
    });
  }

  /** Ends the claims of a worker that stops. */
  leave(worker: string): void {
    for (const entry of this.waiting.filter(({ claim }) => claim.worker === worker)) {
      this.finish(entry);
    }
  }

  get idle(): boolean {
    return this.waiting.length === 0 && this.polls === 0;
  }

  /** No new polls; the claims that wait end empty. */
  close(): void {
    this.closed = true;
    for (const entry of [...this.waiting]) this.finish(entry);
  }

  private finish(entry: Waiting): void {
    if (!this.remove(entry)) return;
    entry.claim.handOver(null);
    entry.end();
  }

  private remove(entry: Waiting): boolean {
    const index = this.waiting.indexOf(entry);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }

  private poll(): void {
    while (!this.closed && this.polls < this.waiting.length) {
      this.polls += 1;
      void this.pollOnce().finally(() => {
        this.polls -= 1;
        this.poll();
      });
    }
  }

  private async pollOnce(): Promise<void> {
    const { pollConnection, namespace } = this.access;
    try {
      const polled = await pollConnection.withDeadline(Date.now() + POLL_MS, () =>
        pollConnection.workflowService.pollActivityTaskQueue({
          namespace,
          taskQueue: {
            name: GROUP_QUEUE_PREFIX + this.group.id,
            kind: TaskQueueKind.TASK_QUEUE_KIND_NORMAL,
          },
          identity: 'rewind-gateway',
        }),
      );
      if (polled.taskToken?.length) await this.handOut(polled, polled.taskToken);
    } catch (error) {
      if (this.closed) return;
      if (!isUnreachable(error)) this.logger.error({ err: error }, 'a poll failed');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  private async handOut(polled: Polled, taskToken: Uint8Array): Promise<void> {
    const task = await taskOf(this.access, polled, taskToken);
    for (let entry = this.waiting.shift(); entry; entry = this.waiting.shift()) {
      const taken = task !== undefined && entry.claim.handOver(task);
      entry.end();
      if (taken) return;
    }
    await this.release(taskToken);
  }
}
