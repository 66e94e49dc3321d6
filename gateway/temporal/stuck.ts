import { temporal } from '@temporalio/proto';
import type { RunError } from '../../sdk/protocol';
import { UNKNOWN_ENGINE, type TerminateDetails } from '../../workflows/contract';
import { CALL_MS, within, type Access } from './access';
import type { Description, RunFacts } from './describe';
import { isNotFound } from './faults';
import { eventsBackwards } from './history';
import { toPayloads } from './payloads';

const { WorkflowTaskFailedCause } = temporal.api.enums.v1;
type TaskFailure = temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

/** A run whose workflow task failed so often will not get on by itself. */
const ATTEMPTS = 3;
/**
 * A build that goes another way than the history may be taken back: an hour or so is left for that.
 * The server makes the pauses between the attempts longer and longer.
 */
const DETERMINISM_ATTEMPTS = 20;
/** Signals may have come since the task failed. */
const EVENTS = 100;

/**
 * Ends a run whose workflow task fails again and again, which Temporal would go on with for ever. So
 * it is with one that blocks its thread where no fuel is counted, outside of the sandbox, as in a
 * pattern of a tool's schema, and with one that the script workers of now cannot replay. Gives why
 * the run is stuck, and whether it was ended for it.
 */
export async function endIfStuck(
  access: Access,
  facts: RunFacts,
  { pendingWorkflowTask }: Description,
): Promise<{ error: RunError; ended: boolean } | undefined> {
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  if (attempt < ATTEMPTS) return undefined;
  const failed = await lastFailure(access, facts.id);
  const stuck = failed && whyStuck(failed);
  if (!stuck) return undefined;
  const { error, attempts } = stuck;
  if (attempt < attempts) return { error, ended: false };
  await terminateRun(access, facts.id, { state: 'failed', error });
  return { error, ended: true };
}

/** Why a run whose task failed like this is ended, and after how many attempts; `undefined`: never. */
export function whyStuck({
  cause,
  failure,
}: TaskFailure): { error: RunError; attempts: number } | undefined {
  const message = failure?.message ?? '';
  if (/execution timed out|timed out after/i.test(message)) {
    const text = 'stopped: it held up its thread for more than 5 s without a wait';
    const error: RunError = { name: 'LimitError', message: text, code: 'limit', limit: 'cpu' };
    return { error, attempts: ATTEMPTS };
  }
  if (message.startsWith(UNKNOWN_ENGINE)) {
    return { error: { name: 'Error', message }, attempts: ATTEMPTS };
  }
  if (cause === WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR) {
    const text = `the script workers of now cannot go on with this run: ${message}`;
    return { error: { name: 'Error', message: text }, attempts: DETERMINISM_ATTEMPTS };
  }
  return undefined;
}

/** How the task that is tried again failed at first: later failures are not written down. */
async function lastFailure(access: Access, workflowId: string): Promise<TaskFailure | undefined> {
  let seen = 0;
  for await (const event of eventsBackwards(access, workflowId, { pageSize: EVENTS })) {
    if (event.workflowTaskFailedEventAttributes) return event.workflowTaskFailedEventAttributes;
    if (event.workflowTaskCompletedEventAttributes || ++seen === EVENTS) return undefined;
  }
  return undefined;
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
