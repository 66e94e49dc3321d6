import { temporal } from '@temporalio/proto';
import { codeFrame } from '../../check/code-frame';
import type { Run, RunError, RunState, Wait } from '../../sdk/protocol';
import { deliveredCall, progressQuery, type Progress } from '../../workflows/contract';
import type { Access } from './access';
import { ask } from './ask';
import { toDate, type Description, type RunFacts } from './describe';
import {
  closeEvent,
  endOf,
  eventsBackwards,
  programOf,
  type Ending,
  type HistoryEvent,
} from './history';

const { WorkflowExecutionStatus: Status, PendingActivityState } = temporal.api.enums.v1;

/** A run is asked what it waits for at most so long. */
const QUERY_MS = 1000;
/** A cancel is followed by what ends the run: at most two tasks, and a cancel for each call in flight. */
const CANCEL_EVENTS = 5000;

/** The state of a run, as far as visibility tells; a terminated run says more in its closing event. */
export function stateOf(facts: RunFacts): RunState {
  switch (facts.status) {
    case Status.WORKFLOW_EXECUTION_STATUS_COMPLETED:
      return 'completed';
    case Status.WORKFLOW_EXECUTION_STATUS_CANCELED:
    case Status.WORKFLOW_EXECUTION_STATUS_TERMINATED:
      return 'canceled';
    case Status.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
      return 'expired';
    case Status.WORKFLOW_EXECUTION_STATUS_FAILED:
      return facts.indexedState === 'expired' ? 'expired' : 'failed';
    default:
      return facts.indexedState === 'waiting' ? 'waiting' : 'running';
  }
}

export function hasEnded(state: RunState): boolean {
  return state !== 'running' && state !== 'waiting';
}

/**
 * What Temporal says of the run now, from the event that closed it; `undefined` where the run did not
 * end by itself, since then the event does not tell how many calls there were.
 */
export function endedBy(facts: RunFacts, event: HistoryEvent): RunFacts | undefined {
  const status = event.workflowExecutionCompletedEventAttributes
    ? Status.WORKFLOW_EXECUTION_STATUS_COMPLETED
    : event.workflowExecutionFailedEventAttributes && Status.WORKFLOW_EXECUTION_STATUS_FAILED;
  const closedAt = toDate(event.eventTime);
  return status && closedAt ? { ...facts, status, closedAt } : undefined;
}

/** A row of a list: everything but output, error, and what a running run waits for. */
export function rowOf(facts: RunFacts): Run {
  const { memo } = facts;
  const state = stateOf(facts);
  return {
    id: facts.id,
    state,
    namespace: memo.namespace,
    toolset: memo.toolset,
    labels: memo.labels,
    calls: memo.calls ?? 0,
    ...(memo.retryOf ? { retryOf: memo.retryOf } : {}),
    createdAt: facts.startedAt.toISOString(),
    expiresAt: new Date(facts.startedAt.getTime() + memo.ttlMs).toISOString(),
    ...(facts.closedAt ? { endedAt: facts.closedAt.toISOString() } : {}),
    waitingFor: state === 'waiting' ? (memo.waitingFor ?? []) : [],
    ...(state === 'waiting' && memo.unreadSignals?.length
      ? { unreadSignals: memo.unreadSignals }
      : {}),
  };
}

/** The whole run. `closing` spares the question how it ended. */
export async function runOf(
  access: Access,
  facts: RunFacts,
  description: Description,
  closing?: HistoryEvent,
): Promise<Run> {
  const row = rowOf(facts);
  if (hasEnded(row.state)) return endedRun(access, row, closing);
  if (row.state === 'waiting') return row;
  const progress = await askProgress(access, facts.id);
  return {
    ...row,
    calls: progress?.calls ?? row.calls,
    waitingFor: withClaims(progress?.waitingFor, description),
    ...(progress?.unreadSignals.length ? { unreadSignals: progress.unreadSignals } : {}),
  };
}

/** Asks the run itself; `undefined` where no script worker answers in time. */
async function askProgress(access: Access, id: string): Promise<Progress | undefined> {
  try {
    return await ask(access, id, progressQuery, QUERY_MS);
  } catch {
    // Not up, or busy with other runs: the description still tells which calls are in hand.
    return undefined;
  }
}

/** The run knows what it scheduled; only Temporal knows what a worker has in hand. */
function withClaims(waits: Wait[] | undefined, { pendingActivities }: Description): Wait[] {
  const claimed = new Set<number>();
  const fallback: Wait[] = [];
  for (const activity of pendingActivities ?? []) {
    const seq = deliveredCall(activity.activityId);
    if (seq === undefined) continue;
    const started = activity.state === PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;
    if (started) claimed.add(seq);
    fallback.push({
      kind: 'tool',
      seq,
      tool: activity.activityType?.name ?? '',
      state: started ? 'claimed' : 'pending',
      attempt: 1,
      since: new Date(Number(activity.scheduledTime?.seconds ?? 0) * 1000).toISOString(),
      served: started,
    });
  }
  return (waits ?? fallback).map((wait) =>
    wait.kind === 'tool' && wait.state === 'pending' && claimed.has(wait.seq)
      ? { ...wait, state: 'claimed', served: true }
      : wait,
  );
}

/** How a run ended, from its closing event. */
export async function endingOf(access: Access, id: string): Promise<Ending | undefined> {
  const event = await closeEvent(access, id);
  return event && endOf(access, event);
}

async function endedRun(access: Access, row: Run, closing?: HistoryEvent): Promise<Run> {
  const ending = await (closing ? endOf(access, closing) : endingOf(access, row.id));
  if (!ending) return row;
  const run: Run = { ...row, state: ending.state, calls: ending.end?.calls ?? row.calls };
  if (ending.state === 'completed') {
    return { ...run, output: JSON.parse(ending.end?.outputJson ?? 'null') as unknown };
  }
  if (ending.state === 'canceled') {
    return { ...run, error: ending.error ?? (await cancelError(access, row.id)) };
  }
  return ending.error ? { ...run, error: await withFrame(access, row.id, ending.error) } : run;
}

async function withFrame(access: Access, id: string, error: RunError): Promise<RunError> {
  if (error.line === undefined) return error;
  const program = await programOf(access, id);
  if (!program) return error;
  return { ...error, frame: codeFrame(program.script, error.line, error.column ?? 1) };
}

async function cancelError(access: Access, id: string): Promise<RunError> {
  let reason = '';
  let seen = 0;
  for await (const event of eventsBackwards(access, id)) {
    const asked = event.workflowExecutionCancelRequestedEventAttributes;
    reason = asked?.cause ?? '';
    if (asked || ++seen === CANCEL_EVENTS) break;
  }
  return { name: 'Error', message: reason ? `canceled: ${reason}` : 'canceled' };
}
