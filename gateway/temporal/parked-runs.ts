import type { temporal } from '@temporalio/proto';
import type { Logger } from 'pino';
import { WORKER_SILENCE_MS, accepts } from '../../store/routes';
import type { WorkerGroup } from '../../store/types';
import { SCRIPT_RUN, workersSignal } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import { factsOf } from './describe';
import { isNotFound } from './faults';
import { fromPayload } from './payloads';

/** When runs with parked calls are told of a group that appeared: the index may lag behind. */
const TELL_MS = [0, 2_000, 10_000, 30_000];
/** Later, all groups are told of together. */
const AGAIN_MS = 60_000;
/** Names of tools in one question. */
const TOOLS = 100;
/** Runs that are told at once. */
const SIGNALS = 20;

interface Seen {
  group: WorkerGroup;
  at: number;
  round: number;
  dueAt: number;
}

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Tells runs whose calls wait for a worker group that one is there. */
export class ParkedRuns {
  private readonly groups = new Map<string, Seen>();
  private timer: NodeJS.Timeout | undefined;
  private telling = false;
  private closed = false;

  constructor(
    private readonly access: Access,
    private readonly logger: Logger,
  ) {}

  /** A worker of the group was seen; it `appeared` where none was live before. */
  see(group: WorkerGroup, { appeared }: { appeared: boolean }): void {
    const now = Date.now();
    const seen = this.groups.get(group.id);
    if (seen) seen.at = now;
    if (seen && !appeared) return;
    // Where another gateway has seen it first, that one tells of it at once.
    const round = appeared ? 0 : 1;
    this.groups.set(group.id, { group, at: now, round, dueAt: dueAfter(now, round) });
    this.plan();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private plan(): void {
    if (this.closed || this.telling) return;
    clearTimeout(this.timer);
    const dueAt = Math.min(...[...this.groups.values()].map((seen) => seen.dueAt));
    if (dueAt === Infinity) return;
    this.timer = setTimeout(() => void this.tellDue(), Math.max(dueAt - Date.now(), 0));
    this.timer.unref();
  }

  private async tellDue(): Promise<void> {
    this.telling = true;
    const now = Date.now();
    const due: WorkerGroup[] = [];
    for (const [id, seen] of this.groups) {
      if (now - seen.at > WORKER_SILENCE_MS) this.groups.delete(id);
      else if (seen.dueAt <= now) {
        due.push(seen.group);
        seen.round += 1;
        seen.dueAt = dueAfter(now, seen.round);
      }
    }
    try {
      await this.tell(due);
    } catch (error) {
      this.logger.warn({ err: error }, 'could not tell parked runs of workers; trying again');
    }
    this.telling = false;
    this.plan();
  }

  /** One question for all groups, however many: those of many end users have the same tools. */
  private async tell(groups: readonly WorkerGroup[]): Promise<void> {
    const byTool = new Map<string, WorkerGroup[]>();
    for (const group of groups) {
      for (const tool of group.tools) byTool.set(tool, [...(byTool.get(tool) ?? []), group]);
    }
    const tools = [...byTool.keys()];
    const told = new Set<string>();
    for (let at = 0; at < tools.length; at += TOOLS) {
      for await (const run of this.parkedFor(tools.slice(at, at + TOOLS))) {
        const facts = factsOf(run);
        if (!facts || told.has(facts.id)) continue;
        const served = parkedTools(run).some((tool) =>
          byTool.get(tool)?.some((group) => accepts(group, facts.memo)),
        );
        if (served) told.add(facts.id);
      }
    }
    const ids = [...told];
    for (let at = 0; at < ids.length; at += SIGNALS) {
      await Promise.all(ids.slice(at, at + SIGNALS).map((id) => this.wake(id)));
    }
  }

  private async *parkedFor(tools: readonly string[]): AsyncGenerator<Execution> {
    const { connection, namespace } = this.access;
    const names = tools.map((tool) => `'${tool}'`).join(', ');
    let nextPageToken: Uint8Array | undefined;
    do {
      const page = await within(this.access, CALL_MS, () =>
        connection.workflowService.listWorkflowExecutions({
          namespace,
          query: `WorkflowType = '${SCRIPT_RUN}' AND ExecutionStatus = 'Running' AND RewindParked IN (${names})`,
          pageSize: 1000,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      );
      yield* page.executions ?? [];
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

/** The later rounds fall together, so that they share their questions. */
function dueAfter(now: number, round: number): number {
  const pause = TELL_MS[round];
  return pause === undefined ? Math.ceil((now + 1) / AGAIN_MS) * AGAIN_MS : now + pause;
}

function parkedTools({ searchAttributes }: Execution): string[] {
  const parked = fromPayload<string | string[]>(searchAttributes?.indexedFields?.['RewindParked']);
  if (parked === undefined) return [];
  return Array.isArray(parked) ? parked : [parked];
}
