import { temporal } from '@temporalio/proto';
import type { RunError, TraceEntry } from '../../sdk/protocol';
import {
  DELIVERY_HEADER,
  deliveredCall,
  failureTypes,
  type Answer,
  type AnswerError,
  type CallRecord,
  type DeliveryHeader,
  type DeliveryResult,
} from '../../workflows/contract';
import { decide, type Outcome } from '../../workflows/outcome';
import { toDate, type Description } from './describe';
import { isClosing, type HistoryEvent } from './history';
import { isReferencePayload } from './large-values';
import { fromPayload, fromPayloads } from './payloads';

const { TimeoutType } = temporal.api.enums.v1;
type Payload = temporal.api.common.v1.IPayload;

/** A value of a call as the history has it: perhaps a reference, decoded when it is shown. */
export interface Body {
  payload: Payload;
  /** Puts the decoded payload in its place. */
  put: (decoded: unknown) => void;
}

export interface TraceRow {
  entry: TraceEntry;
  bodies: Body[];
}

/** One call on its way through the history. */
interface Call {
  entry: TraceEntry;
  header: DeliveryHeader;
  input?: Payload;
  /** Of the result, or of the error's data. */
  end?: Body;
  /** An answer that came before the deferral was seen. */
  early?: { answer: Answer; body: Payload | undefined; at: string };
  deferredUntil?: string;
}

/** How a delivery ended, and the payload of what it brought. */
interface Concluded {
  scheduledEventId: unknown;
  outcome: Outcome;
  body?: Payload | undefined;
}

/** Follows the calls of one run through its events. */
export class TraceReader {
  /** When the run ended. */
  private ended: string | undefined;
  private readonly calls = new Map<number, Call>();
  /** Call numbers by the id of the event that scheduled a delivery. */
  private readonly scheduled = new Map<string, number>();
  private readonly others = new Map<number, TraceEntry>();
  /** Calls of the page that have got their answer. */
  private settled = 0;
  /** A call after those of the page was seen. */
  private passed = false;

  constructor(private readonly page: { after: number; limit: number }) {}

  /** What comes later in the history changes nothing of the page. */
  get done(): boolean {
    return this.passed && this.settled === this.page.limit;
  }

  read(event: HistoryEvent): void {
    const at = toDate(event.eventTime)?.toISOString() ?? '';
    if (event.activityTaskScheduledEventAttributes) return this.schedule(event, at);
    const { activityTaskStartedEventAttributes: started } = event;
    if (started) return this.on(started.scheduledEventId, (call) => (call.entry.state = 'claimed'));
    if (event.workflowExecutionSignaledEventAttributes) return this.signaled(event, at);
    if (isClosing(event)) {
      this.ended = at;
      return;
    }
    const done = outcomeOf(event);
    if (done) this.on(done.scheduledEventId, (call) => this.conclude(call, done, at));
  }

  /** Calls that a worker has in hand now: the history shows them only when they are done. */
  markClaimed({ pendingActivities }: Description): void {
    for (const activity of pendingActivities ?? []) {
      const call = this.calls.get(deliveredCall(activity.activityId) ?? 0);
      if (call && activity.lastStartedTime) call.entry.state = 'claimed';
    }
  }

  merge(records: CallRecord[]): void {
    for (const record of records) {
      const call = this.calls.get(record.seq);
      if (!call) {
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
      call.entry.state = record.state;
      if (!record.error) continue;
      call.entry.error = record.error;
      delete call.end;
      delete call.entry.result;
    }
  }

  /** The rows of the page; `more`: there are calls after them. */
  rows(): { rows: TraceRow[]; more: boolean } {
    const rows: TraceRow[] = [...this.calls.values()].map(({ entry, input, end }) => ({
      entry,
      bodies: [
        ...(input ? [{ payload: input, put: (value: unknown) => (entry.input = value) }] : []),
        ...(end ? [end] : []),
      ],
    }));
    rows.push(...[...this.others.values()].map((entry) => ({ entry, bodies: [] })));
    const wanted = rows
      .filter(({ entry }) => entry.seq > this.page.after)
      .sort((a, b) => a.entry.seq - b.entry.seq);
    if (this.ended !== undefined) drop(wanted, this.ended);
    const shown = wanted.filter(({ entry }) => this.shows(entry.seq));
    return { rows: shown, more: shown.length < wanted.length };
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
      delete call.entry.error;
      return;
    }
    const input = attributes.input?.payloads?.[0];
    if (header.seq > this.page.after + this.page.limit) this.passed = true;
    this.calls.set(header.seq, {
      header,
      entry: {
        seq: header.seq,
        tool: attributes.activityType?.name ?? '',
        input: null,
        state: 'pending',
        attempt: header.attempt,
        fromRecord: false,
        startedAt: at,
        ...(header.line === undefined ? {} : { line: header.line }),
      },
      ...(input && this.shows(header.seq) ? { input } : {}),
    });
  }

  /** Whether a call is of the page: of the others, no values are kept. */
  private shows(seq: number): boolean {
    return seq > this.page.after && seq <= this.page.after + this.page.limit;
  }

  private on(scheduledEventId: unknown, change: (call: Call) => void): void {
    const seq = this.scheduled.get(String(scheduledEventId));
    const call = seq === undefined ? undefined : this.calls.get(seq);
    if (call) change(call);
  }

  private signaled(event: HistoryEvent, at: string): void {
    const attributes = event.workflowExecutionSignaledEventAttributes;
    if (attributes?.signalName !== 'answer') return;
    const [first, body] = attributes.input?.payloads ?? [];
    const answer = first && !isReferencePayload(first) ? fromPayload<Answer>(first) : undefined;
    const call = answer && this.calls.get(answer.seq);
    if (!call) return;
    if (call.entry.state === 'deferred') this.answered(call, answer, body, at);
    else call.early ??= { answer, body, at };
  }

  private conclude(call: Call, { outcome, body }: Concluded, at: string): void {
    const { entry, header } = call;
    const decision = decide(outcome, header.policy, header.attempt);
    switch (decision.kind) {
      case 'settle':
        return this.settle(call, at, body, (decoded) => (decoded as { value: unknown }).value);
      case 'fail': {
        const { code, message, data, outcomeUnknown } = decision.failure;
        return this.fail(call, at, body, {
          name: 'ToolError',
          message,
          code,
          seq: entry.seq,
          ...(data === undefined ? {} : { data }),
          ...(outcomeUnknown ? { outcomeUnknown } : {}),
        });
      }
      case 'defer':
        entry.state = 'deferred';
        call.deferredUntil = decision.until;
        if (call.early) this.answered(call, call.early.answer, call.early.body, at);
        return;
      case 'again':
        entry.state = 'pending';
    }
  }

  private answered(call: Call, { seq, result }: Answer, body: Payload | undefined, at: string) {
    if (call.deferredUntil !== undefined && at > call.deferredUntil) return;
    if (result.ok) {
      return this.settle(call, at, body, (decoded) => decoded, result.value);
    }
    const { message, data } = result.error;
    this.fail(call, at, body, {
      name: 'ToolError',
      message,
      code: 'failed',
      seq,
      ...(data === undefined ? {} : { data }),
    });
  }

  private settle(
    call: Call,
    at: string,
    payload: Payload | undefined,
    valueOf: (decoded: unknown) => unknown,
    value: unknown = null,
  ): void {
    const { entry } = call;
    entry.state = 'completed';
    this.end(entry, at);
    entry.result = value;
    if (payload && this.shows(entry.seq)) {
      call.end = { payload, put: (decoded) => (entry.result = valueOf(decoded)) };
    }
  }

  private end(entry: TraceEntry, at: string): void {
    if (entry.endedAt === undefined && this.shows(entry.seq)) this.settled += 1;
    entry.endedAt = at;
  }

  private fail(call: Call, at: string, payload: Payload | undefined, error: RunError): void {
    const { entry } = call;
    entry.state = 'failed';
    this.end(entry, at);
    entry.error = error;
    if (payload && this.shows(entry.seq)) {
      call.end = { payload, put: (decoded) => (error.data = decoded) };
    }
  }
}

/** What was open when the run ended is dropped. */
function drop(rows: TraceRow[], at: string): void {
  for (const { entry } of rows) {
    if (entry.state === 'completed' || entry.state === 'failed') continue;
    entry.state = 'dropped';
    entry.endedAt = at;
  }
}

/** What the end of a delivery means; the same table as the run's own. */
function outcomeOf(event: HistoryEvent): Concluded | undefined {
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) {
    const { scheduledEventId } = completed;
    const body = completed.result?.payloads?.[0];
    // A deferral is small, so what is kept elsewhere is a value.
    const result =
      body && !isReferencePayload(body) ? fromPayload<DeliveryResult>(body) : undefined;
    return result && 'deferred' in result
      ? { scheduledEventId, outcome: { kind: 'deferred', until: result.deferred.until } }
      : { scheduledEventId, outcome: { kind: 'answered', value: undefined }, body };
  }
  const failed = event.activityTaskFailedEventAttributes;
  if (failed) {
    const { scheduledEventId, failure } = failed;
    const info = failure?.applicationFailureInfo;
    if (info?.type === failureTypes.released) {
      return { scheduledEventId, outcome: { kind: 'released' } };
    }
    const [first, body] = info?.details?.payloads ?? [];
    const error =
      first && !isReferencePayload(first)
        ? fromPayload<AnswerError>(first)
        : { message: failure?.message ?? '' };
    return { scheduledEventId, outcome: { kind: 'failed', error: error ?? { message: '' } }, body };
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
