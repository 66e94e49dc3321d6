import { temporal } from '@temporalio/proto';
import type { RunError, TraceEntry } from '../../sdk/protocol';
import {
  DELIVERY_HEADER,
  callsQuery,
  failureTypes,
  type Answer,
  type AnswerError,
  type CallRecord,
  type DeliveryHeader,
  type DeliveryResult,
} from '../../workflows/contract';
import { decide, type Outcome } from '../../workflows/outcome';
import { within, type Access } from './access';
import type { Description } from './describe';
import { toDate } from './describe';
import { endOf, historyEvents, type HistoryEvent } from './history';
import { fromPayload, fromPayloads } from './payloads';

const { TimeoutType } = temporal.api.enums.v1;

/** A run is asked for what its history does not show at most so long. */
const QUERY_MS = 1000;

/** One call on its way through the history. */
interface Call {
  entry: TraceEntry;
  header: DeliveryHeader;
  /** An answer that came before the deferral was seen. */
  early?: { answer: Answer; at: string };
  deferredUntil?: string;
}

/** The calls of a run, in order, read from its history: no script worker is needed for it. */
export async function readTrace(
  access: Access,
  id: string,
  description: Description,
): Promise<TraceEntry[]> {
  const reader = new TraceReader();
  for await (const event of historyEvents(access, id)) reader.read(event);
  if (!reader.ended) reader.markClaimed(description);
  if (reader.asks) reader.merge(await askRecords(access, id));
  return reader.entries();
}

async function askRecords(access: Access, id: string): Promise<CallRecord[]> {
  try {
    return await within(access, QUERY_MS, () =>
      access.client.workflow.getHandle(id).query(callsQuery),
    );
  } catch {
    // Not up: what the history shows stands.
    return [];
  }
}

class TraceReader {
  /** When the run ended. */
  ended: string | undefined;
  /** The run itself knows more: it is open, or ended by a cancel, whose event tells nothing. */
  asks = true;
  private readonly calls = new Map<number, Call>();
  /** Call numbers by the id of the event that scheduled a delivery. */
  private readonly scheduled = new Map<string, number>();
  private readonly others = new Map<number, TraceEntry>();

  read(event: HistoryEvent): void {
    const at = toDate(event.eventTime)?.toISOString() ?? '';
    if (event.activityTaskScheduledEventAttributes) return this.schedule(event, at);
    const { activityTaskStartedEventAttributes: started } = event;
    if (started) return this.on(started.scheduledEventId, (call) => (call.entry.state = 'claimed'));
    if (event.workflowExecutionSignaledEventAttributes) return this.signaled(event, at);
    const ending = endOf(event);
    if (ending) {
      this.ended = at;
      this.asks = !ending.end && ending.ended === undefined;
      return this.merge(ending.end?.records ?? []);
    }
    const done = outcomeOf(event);
    if (done) this.on(done.scheduledEventId, (call) => this.conclude(call, done.outcome, at));
  }

  /** Calls that a worker has in hand now: the history shows them only when they are done. */
  markClaimed({ pendingActivities }: Description): void {
    for (const activity of pendingActivities ?? []) {
      const call = this.calls.get(Number(activity.activityId?.split('.')[0]));
      if (call && activity.lastStartedTime) call.entry.state = 'claimed';
    }
  }

  merge(records: CallRecord[]): void {
    for (const record of records) {
      const entry = this.calls.get(record.seq)?.entry;
      if (!entry) {
        const { seq, tool, input, state, attempt, at, line, error } = record;
        this.others.set(seq, {
          seq,
          tool,
          input,
          state,
          attempt,
          fromRecord: false,
          startedAt: at,
          ...(line === undefined ? {} : { line }),
          ...(error ? { error, endedAt: at } : {}),
        });
        continue;
      }
      entry.state = record.state;
      if (!record.error) continue;
      entry.error = record.error;
      delete entry.result;
    }
  }

  entries(): TraceEntry[] {
    const entries = [...this.calls.values()].map(({ entry }) => entry);
    entries.push(...this.others.values());
    if (this.ended !== undefined) drop(entries, this.ended);
    return entries.sort((a, b) => a.seq - b.seq);
  }

  private schedule(event: HistoryEvent, at: string): void {
    const attributes = event.activityTaskScheduledEventAttributes;
    const header = fromPayload<DeliveryHeader>(attributes?.header?.fields?.[DELIVERY_HEADER]);
    if (!attributes || !header) return;
    this.scheduled.set(String(event.eventId), header.seq);
    const call = this.calls.get(header.seq);
    if (call) {
      call.header = header;
      call.entry.attempt = header.attempt;
      call.entry.state = 'pending';
      return;
    }
    this.calls.set(header.seq, {
      header,
      entry: {
        seq: header.seq,
        tool: attributes.activityType?.name ?? '',
        input: fromPayloads(attributes.input) ?? null,
        state: 'pending',
        attempt: header.attempt,
        fromRecord: false,
        startedAt: at,
        ...(header.line === undefined ? {} : { line: header.line }),
      },
    });
  }

  private on(scheduledEventId: unknown, change: (call: Call) => void): void {
    const seq = this.scheduled.get(String(scheduledEventId));
    const call = seq === undefined ? undefined : this.calls.get(seq);
    if (call) change(call);
  }

  private signaled(event: HistoryEvent, at: string): void {
    const attributes = event.workflowExecutionSignaledEventAttributes;
    if (attributes?.signalName !== 'answer') return;
    const answer = fromPayloads<Answer>(attributes.input);
    const call = answer && this.calls.get(answer.seq);
    if (!call) return;
    if (call.entry.state === 'deferred') this.answered(call, answer, at);
    else call.early ??= { answer, at };
  }

  private conclude(call: Call, outcome: Outcome, at: string): void {
    const { entry, header } = call;
    const decision = decide(outcome, header.policy, header.attempt);
    switch (decision.kind) {
      case 'settle':
        return finish(entry, at, { result: decision.value });
      case 'fail': {
        const { code, message, data, outcomeUnknown } = decision.failure;
        return finish(entry, at, {
          error: {
            name: 'ToolError',
            message,
            code,
            seq: entry.seq,
            ...(data === undefined ? {} : { data }),
            ...(outcomeUnknown ? { outcomeUnknown } : {}),
          },
        });
      }
      case 'defer':
        entry.state = 'deferred';
        call.deferredUntil = decision.until;
        if (call.early) this.answered(call, call.early.answer, at);
        return;
      case 'again':
        entry.state = 'pending';
    }
  }

  private answered({ entry, deferredUntil }: Call, { result }: Answer, at: string): void {
    if (deferredUntil !== undefined && at > deferredUntil) return;
    if (result.ok) return finish(entry, at, { result: result.value });
    const { message, data } = result.error;
    finish(entry, at, {
      error: {
        name: 'ToolError',
        message,
        code: 'failed',
        seq: entry.seq,
        ...(data === undefined ? {} : { data }),
      },
    });
  }
}

/** What was open when the run ended is dropped. */
function drop(entries: TraceEntry[], at: string): void {
  for (const entry of entries) {
    if (entry.state === 'completed' || entry.state === 'failed') continue;
    entry.state = 'dropped';
    entry.endedAt = at;
  }
}

function finish(
  entry: TraceEntry,
  at: string,
  end: { result: unknown } | { error: RunError },
): void {
  entry.state = 'error' in end ? 'failed' : 'completed';
  entry.endedAt = at;
  Object.assign(entry, end);
}

/** What the end of a delivery means; the same table as the run's own. */
function outcomeOf(
  event: HistoryEvent,
): { scheduledEventId: unknown; outcome: Outcome } | undefined {
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) {
    const result = fromPayloads<DeliveryResult>(completed.result);
    const outcome: Outcome =
      result && 'deferred' in result
        ? { kind: 'deferred', until: result.deferred.until }
        : { kind: 'answered', value: result?.value };
    return { scheduledEventId: completed.scheduledEventId, outcome };
  }
  const failed = event.activityTaskFailedEventAttributes;
  if (failed) {
    const info = failed.failure?.applicationFailureInfo;
    const error = fromPayloads<AnswerError>(info?.details) ?? {
      message: failed.failure?.message ?? '',
    };
    const outcome: Outcome =
      info?.type === failureTypes.released ? { kind: 'released' } : { kind: 'failed', error };
    return { scheduledEventId: failed.scheduledEventId, outcome };
  }
  const timedOut = event.activityTaskTimedOutEventAttributes;
  return timedOut
    ? { scheduledEventId: timedOut.scheduledEventId, outcome: timeoutOf(timedOut.failure) }
    : undefined;
}

function timeoutOf(
  failure: NonNullable<HistoryEvent['activityTaskTimedOutEventAttributes']>['failure'],
): Outcome {
  const info = failure?.timeoutFailureInfo ?? failure?.cause?.timeoutFailureInfo;
  switch (info?.timeoutType) {
    case TimeoutType.TIMEOUT_TYPE_HEARTBEAT: {
      const details = fromPayloads<{ begun?: boolean }>(info.lastHeartbeatDetails);
      return { kind: 'lost', begun: details?.begun === true };
    }
    case TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START:
      return { kind: 'unclaimed' };
    default:
      return { kind: 'timed_out' };
  }
}
