import { isCancellation, log, sleep, uuid4, workflowInfo } from '@temporalio/workflow';
import {
  createSandbox,
  type GuestCall,
  type GuestEnd,
  type GuestError,
  type Sandbox,
  type Turn,
} from '../sandbox';
import {
  limits,
  parseDuration,
  utf8Bytes,
  type CallState,
  type RunError,
  type ToolErrorCode,
} from '../sdk/protocol';
import { Answers } from './answers';
import type {
  CallRecord,
  Progress,
  RunEnd,
  RunInput,
  RunProgram,
  RunSignal,
  RunStart,
} from './contract';
import { lastRecords } from './call-records';
import { HostCall, type CallContext, type CallResult } from './host-call';
import { HistoryFullError, HistoryRoom, timer } from './history-room';
import { Inbox } from './inbox';
import { OpenWaits } from './open-waits';
import { Positions } from './positions';
import { engine } from './preload';
import { Routes } from './routes';
import { Slots } from './slots';
import { ToolSchemas } from './validator';

export type GuestOutcome =
  { kind: 'completed'; json: string } | { kind: 'failed'; error: RunError } | { kind: 'expired' };

/** The script of one run and everything that it has asked for. */
export class Guest {
  readonly answers = new Answers();
  private readonly inbox = new Inbox();
  readonly routes: Routes;
  private readonly waits = new OpenWaits();
  private readonly slots = new Slots(limits.callsInFlight);
  private readonly room = new HistoryRoom();
  private readonly positions: Positions;
  private readonly context: CallContext;
  /** By `seq`, from 1: all calls that the script made. */
  private readonly calls: HostCall[] = [];
  private readonly seqOf = new Map<number, number>();
  private finish: (outcome: GuestOutcome) => void = () => undefined;
  private stopped: RunEnd | undefined;

  private constructor(
    private readonly sandbox: Sandbox,
    private readonly program: RunProgram,
    start: RunStart,
  ) {
    this.routes = new Routes(start);
    this.positions = new Positions(program.map);
    this.context = {
      start,
      routes: this.routes,
      answers: this.answers,
      room: this.room,
      schemas: new ToolSchemas(start.tools),
      expiresAt: workflowInfo().startTime.getTime() + start.ttlMs,
      fairnessKey: start.fairnessKey,
      headerBytes: utf8Bytes(JSON.stringify([start.labels, start.namespace])),
      onChange: () => this.waits.touch(),
    };
  }

  static async create(start: RunStart, program: RunProgram, input: RunInput): Promise<Guest> {
    const { workflowId, startTime } = workflowInfo();
    const sandbox = await createSandbox({
      engine,
      scope: {
        tools: Object.keys(start.tools),
        workflows: start.workflows,
        ...(input.json === undefined ? {} : { input: input.json }),
        run: {
          id: workflowId,
          namespace: start.namespace,
          labels: start.labels,
          startedAt: startTime.toISOString(),
        },
      },
      now: () => Date.now(),
      seed: uuid4().replaceAll('-', ''),
    });
    return new Guest(sandbox, program, start);
  }

  /** Runs the script to its end. */
  run(): Promise<GuestOutcome> {
    const ended = new Promise<GuestOutcome>((resolve) => (this.finish = resolve));
    this.inBackground(
      this.waits.publish(() => ({
        calls: this.calls.length,
        unreadSignals: this.inbox.unreadNames(),
      })),
    );
    this.enter(() => this.sandbox.start({ code: this.program.code }));
    return ended;
  }

  /** A signal for the script came. */
  deliver(signal: RunSignal): void {
    this.inbox.deliver(signal);
    this.waits.touch();
  }

  /** The run is over: the guest is never run again, whatever comes. */
  stop(): void {
    this.stopped ??= this.summary({ ending: true });
    this.sandbox.dispose();
  }

  get openCalls(): number {
    return this.waits.size;
  }

  end(): RunEnd {
    return this.stopped ?? this.summary({ ending: false });
  }

  log(): RunEnd['log'] {
    return this.end().log;
  }

  progress(): Progress {
    return {
      waitingFor: this.stopped ? [] : this.waits.list(),
      calls: this.calls.length,
      unreadSignals: this.inbox.unreadNames(),
    };
  }

  callState(seq: number): { state: CallState; until?: string } | undefined {
    return this.calls[seq - 1]?.callState;
  }

  records({ ending = false } = {}): CallRecord[] {
    return lastRecords(this.calls, ending);
  }

  private summary(when: { ending: boolean }): RunEnd {
    return { calls: this.calls.length, log: this.sandbox.log, records: this.records(when) };
  }

  /** The script goes on, unless its run is over. */
  private enter(step: () => Turn): void {
    if (this.stopped) return;
    // Not only when the timer says so: its event comes seconds late where answers stream in.
    if (Date.now() >= this.context.expiresAt) return this.finish({ kind: 'expired' });
    this.take(step());
  }

  private take(turn: Turn): void {
    for (const call of turn.calls) this.inBackground(this.serve(call));
    for (const error of turn.unhandled ?? []) this.noteUnhandled(error);
    for (const call of turn.unanswered ?? []) {
      this.sandbox.note(`Warning: the script ended before the answer to ${this.callName(call)}`);
    }
    if (turn.end) this.finish(this.outcome(turn.end));
  }

  private noteUnhandled(error: GuestError): void {
    const { name, message, line, seq } = this.runError(error);
    const call = seq === undefined ? '' : ` of call #${seq} ${this.calls[seq - 1]?.tool ?? ''}`;
    const at = line === undefined ? '' : ` (line ${line})`;
    this.sandbox.note(`Warning: nobody handled the rejection${call}${at}: ${name}: ${message}`);
  }

  private callName({ id, name, at }: GuestCall): string {
    const seq = this.seqOf.get(id);
    const line = this.positions.line(at);
    return `call ${seq === undefined ? '' : `#${seq} `}${name}${line === undefined ? '' : ` (line ${line})`}`;
  }

  private outcome(end: GuestEnd): GuestOutcome {
    return end.ok
      ? { kind: 'completed', json: end.json }
      : { kind: 'failed', error: this.runError(end.error) };
  }

  private async serve(call: GuestCall): Promise<void> {
    switch (call.kind) {
      case 'tool':
        return this.serveTool(call);
      case 'sleep':
        return this.serveSleep(call);
      case 'signal':
        return this.serveSignal(call);
      case 'workflow':
        return this.reject(call, 'failed', 'saved workflows cannot be called in this version');
    }
  }

  private async serveTool(call: GuestCall): Promise<void> {
    const seq = this.calls.length + 1;
    const line = this.positions.line(call.at);
    const input: unknown = JSON.parse(call.json);
    const bytes = utf8Bytes(call.json);
    const hostCall = new HostCall(seq, call.name, input, bytes, line, this.context);
    this.calls.push(hostCall);
    this.seqOf.set(call.id, seq);
    this.waits.set(call.id, hostCall);
    const result = await this.slots.use(() => hostCall.run());
    this.waits.delete(call.id);
    this.settle(call.id, seq, result);
  }

  private async serveSleep(call: GuestCall): Promise<void> {
    const { duration } = JSON.parse(call.json) as { duration?: unknown };
    const ms = parseDuration(duration);
    if (ms === undefined) {
      return this.reject(call, 'invalid_arguments', notDuration('sleep', duration));
    }
    const until = new Date(Date.now() + Math.min(ms, limits.ttlMs)).toISOString();
    const line = this.positions.line(call.at);
    this.waits.set(call.id, {
      passive: true,
      show: () => ({ kind: 'sleep', until, ...(line === undefined ? {} : { line }) }),
    });
    const full = await this.withTimer(() => sleep(Math.min(ms, limits.ttlMs)));
    this.waits.delete(call.id);
    if (full) return this.reject(call, 'failed', `sleep: ${full.message}`);
    this.resolve(call.id);
  }

  private async serveSignal(call: GuestCall): Promise<void> {
    const { name, timeout } = JSON.parse(call.json) as { name?: unknown; timeout?: unknown };
    const ms = timeout === undefined ? undefined : parseDuration(timeout);
    if (typeof name !== 'string') {
      return this.reject(call, 'invalid_arguments', 'waitForSignal needs the name of a signal');
    }
    if (timeout !== undefined && ms === undefined) {
      return this.reject(call, 'invalid_arguments', notDuration('waitForSignal', timeout));
    }
    const early = this.inbox.read(name);
    if (early) {
      await Promise.resolve();
      return this.resolve(call.id, early.value);
    }
    const deadline = ms === undefined ? undefined : new Date(Date.now() + ms).toISOString();
    const line = this.positions.line(call.at);
    this.waits.set(call.id, {
      passive: true,
      show: () => ({
        kind: 'signal',
        name,
        ...(deadline ? { deadline } : {}),
        ...(line === undefined ? {} : { line }),
      }),
    });
    let arrived: { value: unknown } | undefined;
    const wait = async () => {
      arrived = await this.inbox.wait(name, ms && Math.min(ms, limits.ttlMs));
    };
    const full = ms === undefined ? await wait() : await this.withTimer(wait);
    this.waits.delete(call.id);
    if (full) return this.reject(call, 'failed', `waitForSignal: ${full.message}`);
    this.resolve(call.id, arrived?.value);
  }

  /** Does what needs a timer; gives the error where the history has no room for it. */
  private async withTimer(work: () => Promise<void>): Promise<HistoryFullError | undefined> {
    try {
      const later = this.room.take(timer);
      if (later) await later;
    } catch (error) {
      if (error instanceof HistoryFullError) return error;
      throw error;
    }
    try {
      await work();
      return undefined;
    } finally {
      this.room.done(timer);
    }
  }

  private settle(id: number, seq: number, result: CallResult): void {
    if (result.ok) return this.resolve(id, result.value);
    const { code, message, outcomeUnknown, data } = result;
    this.enter(() =>
      this.sandbox.reject(id, {
        code,
        message,
        outcomeUnknown,
        seq,
        ...(data === undefined ? {} : { dataJson: JSON.stringify(data) }),
      }),
    );
  }

  private resolve(id: number, value?: unknown): void {
    this.enter(() =>
      value === undefined
        ? this.sandbox.resolve(id)
        : this.sandbox.resolve(id, JSON.stringify(value)),
    );
  }

  private reject(call: GuestCall, code: ToolErrorCode, message: string): void {
    this.enter(() =>
      this.sandbox.reject(call.id, { message, code, outcomeUnknown: false, seq: 0 }),
    );
  }

  /** The guest's error at its place in the text that was sent. */
  private runError(error: GuestError): RunError {
    const at = error.frames.map((frame) => this.positions.original(frame)).find(Boolean);
    const { tool } = error;
    const seq = tool && this.seqOf.get(tool.id);
    return {
      name: error.name,
      message: error.message,
      ...(tool ? { code: tool.code as ToolErrorCode } : {}),
      ...(tool?.outcomeUnknown ? { outcomeUnknown: true } : {}),
      ...(tool?.dataJson === undefined ? {} : { data: JSON.parse(tool.dataJson) as unknown }),
      ...(seq ? { seq } : {}),
      ...(error.limit ? { code: 'limit' as const, limit: error.limit } : {}),
      ...(at ? { line: at.line, column: at.column } : {}),
    };
  }

  /** What goes on beside the script; it is cut off, silently, when the run ends. */
  private inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.stopped || isCancellation(error)) return;
      log.error('a run failed inside Rewind', { error });
      const message = 'the run failed inside Rewind';
      this.finish({ kind: 'failed', error: { name: 'Error', message } });
    });
  }
}

function notDuration(what: string, value: unknown): string {
  return `${what}: ${JSON.stringify(value)} is not a duration such as "30s" or "3d"`;
}
