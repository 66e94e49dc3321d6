import type { RunError } from '../../sdk/protocol';
import type { TerminateDetails } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import type { Description, RunFacts } from './describe';
import { isNotFound } from './faults';
import { eventsBackwards } from './history';
import { toPayloads } from './payloads';

/** A run whose workflow task failed so often for blocking is ended: it would stall its thread for ever. */
const ATTEMPTS = 3;

/**
 * Ends a run that blocks its thread where no fuel is counted, outside of the sandbox, as in a pattern
 * of a tool's schema: Temporal stops such a task after five seconds and tries it again for ever.
 * True where the run was ended.
 */
export async function endIfBlocked(
  access: Access,
  facts: RunFacts,
  { pendingWorkflowTask }: Description,
): Promise<boolean> {
  if ((pendingWorkflowTask?.attempt ?? 0) < ATTEMPTS) return false;
  if (!(await blocks(access, facts.id))) return false;
  const error: RunError = {
    name: 'LimitError',
    message: 'stopped: it held up its thread for more than 5 s without a wait',
    code: 'limit',
    limit: 'cpu',
  };
  await terminateRun(access, facts.id, { state: 'failed', error });
  return true;
}

async function blocks(access: Access, workflowId: string): Promise<boolean> {
  let seen = 0;
  for await (const event of eventsBackwards(access, workflowId, { pageSize: 20 })) {
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed) return /execution timed out|timed out after/i.test(failed.failure?.message ?? '');
    if (++seen === 20) break;
  }
  return false;
}

/** Ends a run from outside, where it cannot end by itself. A run that has ended meanwhile is left alone. */
export async function terminateRun(
  access: Access,
  workflowId: string,
  details: TerminateDetails,
): Promise<void> {
  try {
    await within(access, CALL_MS, () =>
      access.connection.workflowService.terminateWorkflowExecution({
        namespace: access.namespace,
        workflowExecution: { workflowId },
        reason: details.error.message,
        details: toPayloads(details),
      }),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
