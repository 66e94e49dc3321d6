import { randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { GROUP_QUEUE_PREFIX } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';

type Polled = temporal.api.workflowservice.v1.IPollActivityTaskQueueResponse;
const { TaskQueueKind, TaskQueueType } = temporal.api.enums.v1;

/** The server answers an empty poll shortly before the deadline; shorter deadlines would lose tasks. */
const POLL_MS = 65_000;
const IDENTITY = 'rewind-gateway';

/**
 * The polls of one queue. They are never aborted, since a task matched to one would be lost; but many
 * servers can be asked to answer one empty at once. Where they cannot, it stays open until its time.
 */
export class OpenPolls {
  /** By the key that the server knows each by. */
  private readonly open = new Map<string, Promise<void>>();
  private readonly called = new Set<string>();

  constructor(
    private readonly access: Access,
    private readonly queue: string,
  ) {}

  /** Polls once, and gives what came to `take`. */
  poll(take: (polled: Polled) => Promise<void>): Promise<void> {
    const key = randomUUID();
    const work = this.pollAs(key, take);
    this.open.set(key, work);
    return work;
  }

  /**
   * Asks the server to end all but so many. Waits until it has, and what those brought is taken;
   * whatever fails ends later.
   */
  async keep(count: number): Promise<void> {
    const surplus = [...this.open].filter(([key]) => !this.called.has(key)).slice(count);
    if (surplus.length === 0 || !(await this.access.endsPolls())) return;
    await Promise.all(
      surplus.map(async ([key, work]) => {
        if (!this.open.has(key) || this.called.has(key)) return;
        this.called.add(key);
        await Promise.all([work, this.callOff(key)]).catch(() => this.called.delete(key));
      }),
    );
  }

  private async pollAs(key: string, take: (polled: Polled) => Promise<void>): Promise<void> {
    const { pollConnection, namespace } = this.access;
    let polled: Polled;
    try {
      polled = await pollConnection.withDeadline(Date.now() + POLL_MS, () =>
        pollConnection.workflowService.pollActivityTaskQueue({
          namespace,
          taskQueue: {
            name: GROUP_QUEUE_PREFIX + this.queue,
            kind: TaskQueueKind.TASK_QUEUE_KIND_NORMAL,
          },
          identity: IDENTITY,
          workerInstanceKey: key,
        }),
      );
    } finally {
      this.open.delete(key);
      this.called.delete(key);
    }
    await take(polled);
  }

  private async callOff(key: string): Promise<void> {
    const { connection, namespace } = this.access;
    await within(this.access, CALL_MS, () =>
      connection.workflowService.shutdownWorker({
        namespace,
        identity: IDENTITY,
        reason: 'nobody waits',
        workerInstanceKey: key,
        taskQueue: GROUP_QUEUE_PREFIX + this.queue,
        taskQueueTypes: [TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY],
      }),
    );
  }
}

/** Whether the server can end a poll when it is asked to. Asked once it is needed, until it answers. */
export function endsPolls(connection: Connection, namespace: string): () => Promise<boolean> {
  let known: boolean | undefined;
  return async () => {
    if (known !== undefined) return known;
    try {
      const { namespaceInfo } = await connection.withDeadline(Date.now() + CALL_MS, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      return (known = namespaceInfo?.capabilities?.workerPollCompleteOnShutdown === true);
    } catch {
      return false;
    }
  };
}
