import { sleep, workflowInfo } from '@temporalio/workflow';
import {
  limits,
  utf8Bytes,
  type CallState,
  type RunError,
  type ToolErrorCode,
  type Wait,
} from '../sdk/protocol';
import type { Answers } from './answers';
import type { AnswerError, CallRecord, RunStart, RunTool } from './contract';
import { deliver } from './delivery';
import { HistoryFullError, delivery, type HistoryRoom } from './history-room';
import type { OpenWait } from './open-waits';
import { decide, type Failure, type Outcome } from './outcome';
import type { Routes } from './routes';
import type { ToolSchemas } from './validator';

/** How a call ends for the script. */
export type CallResult =
  | { ok: true; value: unknown }
  | { ok: false; code: ToolErrorCode; message: string; data?: unknown; outcomeUnknown: boolean };

/** What a call needs of its run. */
export interface CallContext {
  start: RunStart;
  routes: Routes;
  answers: Answers;
  room: HistoryRoom;
  schemas: ToolSchemas;
  /** When the time to live ends the run. */
  expiresAt: number;
  fairnessKey: string;
  /** Of a delivery's header: labels and the like, the same for all calls. */
  headerBytes: number;
  /** The call's state changed. */
  onChange: () => void;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** One call of a host tool: from its arguments to what the script gets. */
export class HostCall implements OpenWait {
  private state: CallState = 'pending';
  private attempt = 1;
  private deliveries = 0;
  /** Length of the history when the last delivery was made. */
  private deliveredAt = 0;
  private parked = false;
  private backingOff = false;
  private deadline: string | undefined;
  private error: RunError | undefined;
  /** The error is one that no event of the history shows. */
  private unrecorded = false;
  private readonly since = iso(Date.now());
  private readonly spec: RunTool;

  constructor(
    readonly seq: number,
    readonly tool: string,
    readonly input: unknown,
    /** Of the input, as JSON. */
    private readonly bytes: number,
    readonly line: number | undefined,
    private readonly context: CallContext,
  ) {
    const spec = context.start.tools[tool];
    if (!spec) throw new Error(`the sandbox offers a tool that the run does not have: ${tool}`);
    this.spec = spec;
  }

  get passive(): boolean {
    return this.parked || this.state === 'deferred';
  }

  get parkedTool(): string | undefined {
    return this.parked ? this.tool : undefined;
  }

  get callState(): { state: CallState; until?: string } {
    return { state: this.state, ...(this.deadline ? { until: this.deadline } : {}) };
  }

  show(): Wait {
    return {
      kind: 'tool',
      seq: this.seq,
      tool: this.tool,
      state: this.state,
      attempt: this.attempt,
      since: this.since,
      served: !this.parked && (this.state === 'deferred' || this.context.routes.served(this.tool)),
      ...(this.deadline ? { deadline: this.deadline } : {}),
      ...(this.line === undefined ? {} : { line: this.line }),
    };
  }

  /**
   * What the history alone would not tell of this call; `undefined` where it tells all. `ending`: the
   * run ends now, so that a delivery made in this very task never gets into the history.
   */
  record({ ending }: { ending: boolean }): CallRecord | undefined {
    const unsent = ending && this.deliveredAt === workflowInfo().historyLength;
    const known = this.deliveries > (unsent ? 1 : 0);
    if (known && !this.parked && !this.backingOff && !this.unrecorded) return undefined;
    return {
      seq: this.seq,
      tool: this.tool,
      input: known ? null : preview(this.input),
      state: this.state,
      attempt: this.attempt,
      at: this.since,
      ...(this.line === undefined ? {} : { line: this.line }),
      ...(this.error ? { error: this.error } : {}),
    };
  }

  /** Makes the call and keeps at it until it is settled. */
  async run(): Promise<CallResult> {
    const problem = this.context.schemas.arguments(this.tool, this.input);
    if (problem) return this.refuse('invalid_arguments', `${this.tool}: ${problem}`);
    let refresh = false;
    for (;;) {
      const outcome = await this.deliver(refresh);
      const decision = decide(outcome, this.spec.policy, this.attempt);
      switch (decision.kind) {
        case 'settle':
          return this.settle(decision.value);
        case 'fail':
          return this.fail(decision.failure);
        case 'defer':
          return this.awaitAnswer(Date.parse(decision.until));
        case 'again':
          this.attempt = decision.attempt;
          refresh = decision.reroute;
          await this.pause(decision.delayMs);
      }
    }
  }

  private async deliver(refresh: boolean): Promise<Outcome> {
    const { routes } = this.context;
    const group = await routes.find(this.tool, { refresh, onPark: () => this.setParked(true) });
    this.setParked(false);
    const need = delivery(this.bytes + this.context.headerBytes);
    const later = this.context.room.take(need);
    if (later) {
      try {
        await later;
      } catch (error) {
        if (!(error instanceof HistoryFullError)) throw error;
        return { kind: 'failed' as const, error: { message: error.message } };
      }
    }
    try {
      const outcome = await this.handOver(group);
      if (isFromWorker(outcome)) routes.answered(group);
      return outcome;
    } finally {
      this.context.room.done(need);
    }
  }

  private handOver(group: string): Promise<Outcome> {
    const { start, expiresAt, fairnessKey } = this.context;
    this.deliveries += 1;
    this.deliveredAt = workflowInfo().historyLength;
    return deliver({
      number: this.deliveries,
      tool: this.tool,
      input: this.input,
      group,
      // A minute more than the run has: the run's own timer must be the one that ends it.
      timeoutMs: this.spec.timeoutMs ?? Math.max(expiresAt - Date.now(), 0) + 60_000,
      fairnessKey,
      header: {
        seq: this.seq,
        attempt: this.attempt,
        policy: this.spec.policy,
        leaseMs: this.spec.leaseMs,
        toolset: start.toolset,
        namespace: start.namespace,
        labels: start.labels,
        traceparent: start.traceparent,
        expiresAt: iso(expiresAt),
        ...(this.line === undefined ? {} : { line: this.line }),
      },
    });
  }

  private async pause(ms: number): Promise<void> {
    if (ms === 0) return;
    this.backingOff = true;
    await sleep(ms);
    this.backingOff = false;
  }

  private async awaitAnswer(until: number): Promise<CallResult> {
    const { answers, expiresAt } = this.context;
    // The time to live ends the run, never just the call: no timer of ours races it.
    const bounded = until < expiresAt;
    const deadline = Math.min(until, expiresAt);
    this.state = 'deferred';
    this.deadline = iso(deadline);
    this.context.onChange();
    const answer = await answers.wait(this.seq, bounded ? deadline - Date.now() : undefined);
    if (!answer) {
      this.unrecorded = true;
      return this.fail({
        code: 'timed_out',
        message: `no answer until ${this.deadline}`,
        outcomeUnknown: false,
      });
    }
    if (answer.result.ok) return this.settle(answer.result.value);
    return this.fail({
      ...withoutRetry(answer.result.error),
      code: 'failed',
      outcomeUnknown: false,
    });
  }

  private settle(value: unknown): CallResult {
    const problem = this.context.schemas.result(this.tool, value);
    if (problem)
      return this.refuse(
        'invalid_result',
        `the result of ${this.tool} does not fit its schema: ${problem}`,
      );
    this.close('completed');
    return { ok: true, value };
  }

  private fail(failure: Failure): CallResult {
    const message = clip(failure.message);
    this.error = { name: 'ToolError', message, code: failure.code, seq: this.seq };
    if (failure.data !== undefined) this.error.data = failure.data;
    if (failure.outcomeUnknown) this.error.outcomeUnknown = true;
    this.close('failed');
    return { ...failure, ok: false, message };
  }

  private refuse(code: 'invalid_arguments' | 'invalid_result', text: string): CallResult {
    const message = clip(text);
    this.unrecorded = true;
    this.error = { name: 'ToolError', message, code, seq: this.seq };
    this.close('failed');
    return { ok: false, code, message, outcomeUnknown: false };
  }

  private close(state: CallState): void {
    this.state = state;
    this.context.answers.close(this.seq);
  }

  private setParked(parked: boolean): void {
    if (this.parked === parked) return;
    this.parked = parked;
    this.context.onChange();
  }
}

/** Only a worker of the group can have brought it. */
function isFromWorker({ kind }: Outcome): boolean {
  return kind === 'answered' || kind === 'failed' || kind === 'deferred';
}

/** Records stay small: a refused argument can be as large as any. */
function preview(input: unknown): unknown {
  const text = JSON.stringify(input);
  return text.length <= 2048 ? input : `${text.slice(0, 2048)}…`;
}

function withoutRetry({ message, data }: AnswerError): { message: string; data?: unknown } {
  return data === undefined ? { message } : { message, data };
}

function clip(message: string): string {
  if (utf8Bytes(message) <= limits.errorMessageBytes) return message;
  return `${message.slice(0, limits.errorMessageBytes / 4)}…`;
}
