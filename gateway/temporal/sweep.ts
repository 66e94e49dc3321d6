import type { Logger } from 'pino';
import { SCRIPT_RUN } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import { describeRun } from './describe';
import { endIfStuck } from './stuck';

const SWEEP_MS = 5_000;
/** Old values are looked for so often, */
const FORGET_EVERY_MS = 3_600_000;
/** and are old after more than a run's longest life and the time for which Temporal keeps it. */
const VALUES_MS = 400 * 86_400_000;

/**
 * Ends runs that are stuck, also those that nobody reads: each try of a task that blocks its thread
 * stalls all runs of the thread. Temporal marks runs whose workflow tasks keep failing.
 */
export class Sweep {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private forgotAt = Date.now();
  /** Runs that are stuck and were told of. */
  private readonly told = new Set<string>();

  constructor(
    private readonly access: Access,
    private readonly logger: Logger,
  ) {
    this.plan();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async forgetValues(): Promise<void> {
    const now = Date.now();
    if (now - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = now;
    await this.access.store.forgetValues(new Date(now - VALUES_MS));
  }

  private plan(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => void this.sweep().finally(() => this.plan()), SWEEP_MS);
    this.timer.unref();
  }

  private async sweep(): Promise<void> {
    try {
      const { executions } = await within(this.access, CALL_MS, () =>
        this.access.connection.workflowService.listWorkflowExecutions({
          namespace: this.access.namespace,
          query: `WorkflowType = '${SCRIPT_RUN}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`,
          pageSize: 100,
        }),
      );
      const ids = new Set(executions?.map(({ execution }) => execution?.workflowId));
      for (const id of this.told) if (!ids.has(id)) this.told.delete(id);
      for (const { execution } of executions ?? []) {
        const id = execution?.workflowId;
        if (!id) continue;
        const { facts, description } = await describeRun(this.access, {}, id);
        const stuck = await endIfStuck(this.access, facts, description);
        if (!stuck || (this.told.has(id) && !stuck.ended)) continue;
        this.told.add(id);
        const reason = stuck.error.message;
        this.logger.warn(
          { runId: id, reason },
          stuck.ended ? 'ended a run that was stuck' : 'a run is stuck, and will be ended for it',
        );
      }
      await this.forgetValues();
    } catch (error) {
      if (!this.closed) this.logger.warn({ err: error }, 'could not look for stuck runs');
    }
  }
}
