import type { Logger } from 'pino';
import { SCRIPT_RUN } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import { endIfBlocked } from './blocked';
import { describeRun } from './describe';

const SWEEP_MS = 5_000;
/** Old values are looked for so often, */
const FORGET_EVERY_MS = 3_600_000;
/** and are old after more than a run's longest life and the time for which Temporal keeps it. */
const VALUES_MS = 400 * 86_400_000;

/**
 * Ends runs that block their thread, also those that nobody reads: each try of such a task stalls
 * all runs of the thread. Temporal marks runs whose workflow tasks keep failing.
 */
export class Sweep {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private forgotAt = Date.now();

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
      for (const { execution } of executions ?? []) {
        const id = execution?.workflowId;
        if (!id) continue;
        const { facts, description } = await describeRun(this.access, {}, id);
        if (await endIfBlocked(this.access, facts, description)) {
          this.logger.warn({ runId: id }, 'ended a run that blocked its thread');
        }
      }
      await this.forgetValues();
    } catch (error) {
      if (!this.closed) this.logger.warn({ err: error }, 'could not look for blocked runs');
    }
  }
}
