import { JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import { createEngine, fuelTank } from './engine';
import { Fuel, HOST_COST } from './fuel';
import { defaultLimits, limitMessage } from './limits';
import { Log } from './log-tail';
import { framesOf, PROGRAM_PREFIX, SCRIPT_FILE } from './stack';
import type {
  CallFailure,
  GuestCall,
  GuestEnd,
  GuestError,
  LogTail,
  Position,
  Program,
  Sandbox,
  SandboxLimits,
  SandboxOptions,
  Turn,
} from './types';

type Limit = NonNullable<GuestError['limit']>;
const encoder = new TextEncoder();
/** Of the rejections that nobody handled, so many are told at once. */
const TOLD_REJECTIONS = 500;
/** How often a guest out of fuel may still run on, to learn the place. */
const LATE_POLLS = 20;

/** Makes a guest, ready to start. Settles within microtasks where the engine's instantiation does. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const limits = { ...defaultLimits, ...options.limits };
  const code = await options.engine.prelude();
  const rejections = new Map<number, JSValueHandle>();
  let sandbox: QuickJSSandbox | undefined = undefined;
  const now = () => {
    sandbox?.charge(HOST_COST.clock);
    return options.now();
  };
  const vm = await createEngine({
    wasm: options.engine.wasm,
    now,
    limits,
    onPoll: () => sandbox?.poll() ?? false,
    onRejection: (promise, reason, handled) => {
      sandbox?.charge(HOST_COST.rejection);
      const key = vmPointer(promise);
      rejections.get(key)?.dispose();
      if (handled) rejections.delete(key);
      else rejections.set(key, reason.dup());
    },
  });
  const fuel = new Fuel(limits, fuelTank(vm));
  sandbox = new QuickJSSandbox(vm, code, options, limits, fuel, rejections);
  return sandbox;

  function vmPointer(handle: { ptr: number }): number {
    return vm._getExports().qjs_get_value_ptr(handle.ptr);
  }
}

class QuickJSSandbox implements Sandbox {
  private readonly kept: Log;
  private readonly guest: Record<'start' | 'settle' | 'describe' | 'where', JSValueHandle>;
  private readonly open = new Map<number, GuestCall>();
  /** Of the arguments of the open calls: they are outside of the guest's own heap. */
  private openBytes = 0;
  private calls: GuestCall[] = [];
  private end: GuestEnd | undefined;
  private dead = false;
  /** The guest was interrupted for want of fuel. */
  private interrupted = false;
  /** Its stack then; that of the error which comes of it knows more, where there is one. */
  private interruptedAt: string | undefined;
  private latePolls = 0;

  constructor(
    private readonly vm: QuickJS,
    code: Uint8Array,
    options: SandboxOptions,
    private readonly limits: SandboxLimits,
    private readonly fuel: Fuel,
    private readonly rejections: Map<number, JSValueHandle>,
  ) {
    this.kept = new Log(limits.logBytes);
    this.guest = vm.withScope((scope) => {
      const host = vm.newFunction('call', (id, name, argument, stack) =>
        this.hostCall(id, name, argument, stack),
      );
      const facts = {
        ...options.scope,
        seed: options.seed,
        argumentsBytes: limits.argumentsBytes,
        openBytes: limits.openBytes,
      };
      const made = vm.callFunction(
        vm.evalBytecode(code),
        vm.undefined,
        host,
        vm.newString(JSON.stringify(facts)),
      );
      const part = (name: string) => scope.escape(made.getProp(name));
      return {
        start: part('start'),
        settle: part('settle'),
        describe: part('describe'),
        where: part('where'),
      };
    });
  }

  get log(): LogTail {
    return this.kept.tail;
  }

  note(line: string): void {
    this.kept.add(line);
  }

  start(program: Program): Turn {
    return this.turn(() => {
      const script = this.vm.evalCode(`${PROGRAM_PREFIX}${program.code}\n})`, SCRIPT_FILE);
      this.vm.callFunction(this.guest.start, this.vm.undefined, script).dispose();
      script.dispose();
    });
  }

  resolve(id: number, json?: string): Turn {
    return this.settle(id, true, json);
  }

  reject(id: number, failure: CallFailure): Turn {
    return this.settle(id, false, JSON.stringify(failure));
  }

  dispose(): void {
    if (this.dead) return;
    this.dead = true;
    // Its memory goes as a whole: nothing is freed inside, where a trap may have left a mess.
    this.rejections.clear();
    this.vm.dispose();
  }

  /** The engine asks this every 10,000 loop turns or calls. True: stop the guest. */
  poll(): boolean {
    if (!this.fuel.poll()) return false;
    this.latePolls += 1;
    // Between two promise jobs nothing of the script is on the stack: the next poll may be inside.
    this.interruptedAt = this.stack(this.latePolls);
    const inside = this.interruptedAt?.includes(SCRIPT_FILE) ?? false;
    this.interrupted = inside || this.latePolls > LATE_POLLS;
    return this.interrupted;
  }

  charge(amount: number): void {
    this.fuel.charge(amount);
  }

  private settle(id: number, ok: boolean, json: string | undefined): Turn {
    this.openBytes -= bytes(this.open.get(id)?.json ?? '');
    this.open.delete(id);
    return this.turn(() => {
      const { vm } = this;
      // No scope here: it would free what the rejection handler keeps.
      const number = vm.newNumber(id);
      const answer = json === undefined ? vm.undefined : vm.newString(json);
      try {
        const verdict = ok ? vm.true : vm.false;
        vm.callFunction(this.guest.settle, vm.undefined, number, verdict, answer).dispose();
      } finally {
        number.dispose();
        answer.dispose();
      }
    });
  }

  /** Runs the guest until it waits or ends. */
  private turn(enter: () => void): Turn {
    if (this.dead || this.end) return { calls: [] };
    this.fuel.startTurn();
    this.calls = [];
    try {
      enter();
      this.pump();
    } catch (error) {
      this.stopFor(error);
    }
    this.stopIfExhausted();
    const unhandled = this.takeUnhandled();
    // To show a rejection may run the script's own code.
    if (!this.end) this.stopIfExhausted();
    this.fuel.endTurn();
    if (!this.end && this.open.size === 0 && this.calls.length === 0) this.end = stuck;
    const turn: Turn = { calls: this.calls };
    if (unhandled.length > 0) turn.unhandled = unhandled;
    if (this.end) {
      turn.end = this.end;
      const unanswered = [...this.open.values()].filter(
        ({ kind }) => kind === 'tool' || kind === 'workflow',
      );
      if (unanswered.length > 0) turn.unanswered = unanswered;
    }
    return turn;
  }

  /** The guest may have swallowed the interrupt, and what reads its values a trap. */
  private stopIfExhausted(): void {
    if ((this.fuel.trapped || this.interrupted) && !isLimit(this.end)) this.stopFor(undefined);
  }

  /** Runs the guest's jobs until none is left; the engine's own drain would not come back in between. */
  private pump(): void {
    const exports = this.vm._getExports();
    while (exports.qjs_is_job_pending() && !this.interrupted) {
      if (exports.qjs_execute_pending_job() < 0) throw new JSException(this.vm.getException());
    }
  }

  /** The guest's one door. Gives true where the call is taken; no exception of ours may pass it. */
  private hostCall(
    id: JSValueHandle | undefined,
    name: JSValueHandle | undefined,
    argument: JSValueHandle | undefined,
    stack: JSValueHandle | undefined,
  ): JSValueHandle {
    const { vm } = this;
    this.fuel.charge(HOST_COST.entry);
    try {
      const what = this.read(name);
      const json = this.read(argument);
      switch (what) {
        case 'log':
          this.fuel.charge(this.kept.add(json) * HOST_COST.logLine);
          break;
        case 'return':
          this.end ??= this.returned(json);
          break;
        case 'throw':
          this.end ??= { ok: false, error: this.errorOf(json) };
          break;
        default:
          return this.take(id?.toNumber() ?? 0, what, json, this.read(stack));
      }
    } catch {
      // Out of memory while a text was read: the guest goes on and meets the limit itself.
    }
    return vm.undefined;
  }

  private read(text: JSValueHandle | undefined): string {
    const read = text?.toString() ?? '';
    const odd = !read.isWellFormed();
    this.fuel.charge(read.length * (odd ? HOST_COST.oddCharacter : HOST_COST.character));
    return read;
  }

  /** True: taken; false: the argument is too large; null: with what is open already. */
  private take(id: number, what: string, json: string, stack: string): JSValueHandle {
    this.fuel.charge(HOST_COST.call);
    const size = bytes(json);
    if (size > this.limits.argumentsBytes) return this.vm.false;
    if (this.openBytes + size > this.limits.openBytes) return this.vm.null;
    this.openBytes += size;
    const colon = what.indexOf(':');
    const kind = what.slice(0, colon) as GuestCall['kind'];
    const at = framesOf(stack)[0];
    const named = kind === 'tool' || kind === 'workflow';
    const call: GuestCall = {
      id,
      kind,
      name: named ? what.slice(colon + 1) : '',
      json,
      ...(at ? { at } : {}),
    };
    this.open.set(id, call);
    this.calls.push(call);
    return this.vm.true;
  }

  private returned(json: string): GuestEnd {
    return bytes(json) > this.limits.outputBytes ? this.limit('output', []) : { ok: true, json };
  }

  private errorOf(json: string): GuestError {
    const told = JSON.parse(json) as {
      name: string;
      message: string;
      stack: string;
      tool?: NonNullable<GuestError['tool']>;
    };
    const { name, message, tool } = told;
    const error: GuestError = { name, message, frames: framesOf(told.stack) };
    if (tool) error.tool = tool;
    if (/Maximum call stack|stack overflow/i.test(message) && name !== 'Error') {
      error.limit = 'stack';
      error.message = limitMessage('stack', this.limits);
    }
    return error;
  }

  /** After this the guest is never run again. */
  private stopFor(thrown: unknown): void {
    const stack = this.fuel.trapped ? this.stackOfTrap() : this.stackOf(thrown);
    const message = thrown instanceof Error ? (safely(() => thrown.message) ?? '') : '';
    if (thrown instanceof JSException) safely(() => thrown.dispose());
    if (this.fuel.trapped || this.interrupted) {
      // The script may have seen the interrupt as an error, and told its place.
      const told = this.end?.ok === false ? this.end.error.frames : [];
      const known = [framesOf(stack), framesOf(this.interruptedAt), told];
      this.end = this.limit('cpu', known.find((frames) => frames.length > 0) ?? []);
    } else if (/out of memory|memory access out of bounds|unreachable/i.test(message))
      this.end = this.limit('memory', framesOf(stack));
    else if (/stack/i.test(message)) this.end = this.limit('stack', framesOf(stack));
    else this.end = { ok: false, error: { name: 'SyntaxError', message, frames: framesOf(stack) } };
  }

  /** What stops an async function shows only as the rejection of its promise. */
  private stackOf(thrown: unknown): string | undefined {
    const stack = thrown instanceof JSException ? safely(() => thrown.stack) : undefined;
    if (stack?.includes(SCRIPT_FILE)) return stack;
    for (const reason of this.rejections.values()) {
      const rejected = safely(() => reason.getProp('stack').toString());
      if (rejected?.includes(SCRIPT_FILE)) return rejected;
    }
    return stack;
  }

  /** A trap leaves the guest's frames as they were, so that a function called now has them below. */
  private stackOfTrap(): string | undefined {
    this.fuel.fillOnceMore();
    return this.stack();
  }

  /** The guest's stack, whatever it is at. `shift` moves the next poll by so many loop turns. */
  private stack(shift = 0): string | undefined {
    const { vm } = this;
    return safely(() =>
      vm.withScope(() =>
        vm.callFunction(this.guest.where, vm.undefined, vm.newNumber(shift)).toString(),
      ),
    );
  }

  private limit(limit: Limit, frames: Position[]): GuestEnd {
    const message = limitMessage(limit, this.limits, this.fuel.exhausted === 'run');
    return { ok: false, error: { name: 'LimitError', message, frames, limit } };
  }

  private takeUnhandled(): GuestError[] {
    const reasons = [...this.rejections.values()];
    this.rejections.clear();
    if (isLimit(this.end)) return [];
    const errors: GuestError[] = [];
    for (const reason of reasons.slice(0, TOLD_REJECTIONS)) {
      this.fuel.charge(HOST_COST.toldRejection);
      if (this.fuel.trapped) break;
      const text = safely(() =>
        this.vm.callFunction(this.guest.describe, this.vm.undefined, reason).toString(),
      );
      safely(() => reason.dispose());
      if (text !== undefined) errors.push(this.errorOf(text));
    }
    return errors;
  }
}

const stuck: GuestEnd = {
  ok: false,
  error: {
    name: 'Error',
    message: 'the script waits for a promise that nothing will settle',
    frames: [],
  },
};

function isLimit(end: GuestEnd | undefined): boolean {
  return end?.ok === false && end.error.limit !== undefined;
}

function bytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** For what reads a guest's values where the guest may be out of memory. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
