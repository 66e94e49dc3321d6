import { temporal } from '@temporalio/proto';
import type { RunEnd, RunProgram, TerminateDetails } from '../../workflows/contract';
import { notFound } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { guard } from './faults';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
const { HistoryEventFilterType } = temporal.api.enums.v1;

const LONG_POLL_MS = 60_000;

/** Every event of a run, oldest first, page by page. */
export async function* historyEvents(
  access: Access,
  workflowId: string,
  { pageSize = 1000 } = {},
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await guard(
      within(access, CALL_MS, () =>
        access.connection.workflowService.getWorkflowExecutionHistory({
          namespace: access.namespace,
          execution: { workflowId },
          maximumPageSize: pageSize,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      ),
      () => notFound('run', workflowId),
    );
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}

/** The event that closed a run; `undefined`: still open. */
export function closeEvent(access: Access, workflowId: string): Promise<HistoryEvent | undefined> {
  return readCloseEvent(access, workflowId, CALL_MS, false);
}

/** The event that closes a run, as soon as it does. Rejects when it is given up, or cannot be told. */
export async function waitForClose(
  access: Access,
  workflowId: string,
  giveUp: AbortSignal,
): Promise<HistoryEvent> {
  for (;;) {
    giveUp.throwIfAborted();
    // The server answers before the deadline, at once where that is near: so it never is.
    const event = await access.connection.withAbortSignal(giveUp, () =>
      readCloseEvent(access, workflowId, LONG_POLL_MS, true),
    );
    if (event) return event;
  }
}

async function readCloseEvent(
  access: Access,
  workflowId: string,
  deadlineMs: number,
  waitNewEvent: boolean,
): Promise<HistoryEvent | undefined> {
  const page = await within(access, deadlineMs, () =>
    access.connection.workflowService.getWorkflowExecutionHistory({
      namespace: access.namespace,
      execution: { workflowId },
      waitNewEvent,
      historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    }),
  );
  const event = page.history?.events?.[0];
  return event && isClosing(event) ? event : undefined;
}

/** How the closing event says that the run ended. */
export interface Ending {
  state: 'completed' | 'failed' | 'canceled' | 'expired';
  end?: RunEnd;
  /** `from outside`: not by its own doing, so that it may not even be able to answer queries. */
  ended?: 'from outside';
  /** Where the run could not say it itself. */
  error?: TerminateDetails['error'];
}

export function isClosing(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes,
  );
}

/** What the closing event tells; `undefined` for any other event. */
export async function endOf({ values }: Access, event: HistoryEvent): Promise<Ending | undefined> {
  if (event.workflowExecutionCompletedEventAttributes) {
    return withEnd(
      'completed',
      await values.read(event.workflowExecutionCompletedEventAttributes.result),
    );
  }
  if (event.workflowExecutionFailedEventAttributes) {
    const info = event.workflowExecutionFailedEventAttributes.failure;
    const details = info?.applicationFailureInfo;
    const state = details?.type === 'Expired' ? 'expired' : 'failed';
    return {
      error: { name: 'Error', message: 'the run failed inside Rewind' },
      ...withEnd(state, await values.read(details?.details)),
    };
  }
  if (event.workflowExecutionCanceledEventAttributes) return { state: 'canceled' };
  if (event.workflowExecutionTerminatedEventAttributes) {
    const { details, reason } = event.workflowExecutionTerminatedEventAttributes;
    const given = await values.read<TerminateDetails>(details);
    return { ...(given ?? terminatedFor(reason ?? '')), ended: 'from outside' };
  }
  if (event.workflowExecutionTimedOutEventAttributes) {
    return {
      state: 'expired',
      error: { name: 'Error', message: 'the run expired' },
      ended: 'from outside',
    };
  }
  return undefined;
}

/** Temporal itself ends a run whose history is over its limit; whoever else did says why. */
function terminatedFor(reason: string): Ending {
  if (/history .*exceeds/i.test(reason)) {
    const message = 'stopped: the history of the run was full';
    return {
      state: 'failed',
      error: { name: 'LimitError', message, code: 'limit', limit: 'history' },
    };
  }
  return { state: 'canceled', error: { name: 'Error', message: reason || 'terminated' } };
}

function withEnd(state: Ending['state'], end: RunEnd | undefined): Ending {
  return end ? { state, end, ...(end.error ? { error: end.error } : {}) } : { state };
}

/** The texts that a run was started with. */
export async function programOf(
  access: Access,
  workflowId: string,
): Promise<RunProgram | undefined> {
  for await (const event of historyEvents(access, workflowId, { pageSize: 1 })) {
    return access.values.read(event.workflowExecutionStartedEventAttributes?.input, 1);
  }
  return undefined;
}

/** Newest first, page by page: whoever looks for what happened last need not read a long run. */
export async function* eventsBackwards(
  access: Access,
  workflowId: string,
  { pageSize = 1000 } = {},
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await guard(
      within(access, CALL_MS, () =>
        access.connection.workflowService.getWorkflowExecutionHistoryReverse({
          namespace: access.namespace,
          execution: { workflowId },
          maximumPageSize: pageSize,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      ),
      () => notFound('run', workflowId),
    );
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}
