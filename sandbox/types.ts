/**
 * What goes into the sandbox and what comes out. All values cross as JSON text, never as objects,
 * so that neither side ever holds a reference into the other.
 */

/** A transpiled script: a CommonJS-shaped body whose `exports.default` is the script as an async function. */
export interface Program {
  code: string;
}

/** What the prelude puts in scope. */
export interface GuestScope {
  /** Declared tool names: dotted names become nested objects, all are in `tools["…"]`. */
  tools: readonly string[];
  /** Names of the pinned saved workflows. */
  workflows: readonly string[];
  /** JSON text of `input`; left out: undefined. */
  input?: string;
  run: { id: string; namespace: string; labels: Record<string, string>; startedAt: string };
}

export interface SandboxLimits {
  /** Bytes that the guest may allocate. */
  heapBytes: number;
  /** Bytes of native stack. */
  stackBytes: number;
  /** Instructions of the engine between two waits, as the meter counts them. Never timed: replay must agree. */
  fuelPerTurn: number;
  /** The same of the whole run. */
  fuelPerRun: number;
  /** Bytes of log that are kept; the oldest lines go first and are counted. */
  logBytes: number;
  /** Bytes of the output, as JSON. */
  outputBytes: number;
  /** Bytes of the arguments of one call, as JSON. */
  argumentsBytes: number;
  /** Arguments of all calls that are open at once. */
  openBytes: number;
}

/** What `compileEngine` makes, once for all guests: nothing of it changes. */
export interface Engine {
  wasm: WebAssembly.Module;
  /**
   * The prelude as the engine's own code: to read its text takes longer than all else of a guest's
   * making. No bare promise: Temporal freezes what a workflow thread preloads, and by a promise gets
   * at what Node hangs onto it.
   */
  prelude: () => Promise<Uint8Array>;
}

export interface SandboxOptions {
  engine: Engine;
  scope: GuestScope;
  /** Milliseconds since 1970. In a workflow: its own clock. */
  now: () => number;
  /** 32 hexadecimal digits: the seed of the guest's `Math.random`. */
  seed: string;
  limits?: Partial<SandboxLimits>;
}

/** A place in `Program.code`; both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Something that the guest asks of the host, in the order in which the guest asked. */
export interface GuestCall {
  /** To be given to `settle`. From 1, in order. */
  id: number;
  kind: 'tool' | 'workflow' | 'sleep' | 'signal';
  /** Tool or workflow name; empty for the others. */
  name: string;
  /** JSON text: the argument of a tool; `{ duration }` of a sleep; `{ name, timeout? }` of a signal wait. */
  json: string;
  /** Where the script made the call, as well as that is known. */
  at?: Position;
}

/** An error as the guest saw it, without anything of the host. */
export interface GuestError {
  name: string;
  message: string;
  /** Innermost first; only places in the script. */
  frames: Position[];
  /** Set where it is a `ToolError`; `id` is the guest call's id. */
  tool?: { id: number; code: string; dataJson?: string; outcomeUnknown: boolean };
  /** Set where a limit ended the run. */
  limit?: 'cpu' | 'memory' | 'stack' | 'output' | 'arguments';
}

/** How a script ended. `json` is the output as JSON text. */
export type GuestEnd = { ok: true; json: string } | { ok: false; error: GuestError };

/** What one activation of the guest produced. After `end` nothing may be settled any more. */
export interface Turn {
  calls: GuestCall[];
  end?: GuestEnd;
  /** Rejections that nothing handled, as of now. */
  unhandled?: GuestError[];
  /** With `end`: calls of tools and workflows that were still open. */
  unanswered?: GuestCall[];
}

/** The failure of a call as the guest's `ToolError` gets it. */
export interface CallFailure {
  message: string;
  code: string;
  /** JSON text. */
  dataJson?: string;
  outcomeUnknown: boolean;
  /** The call's number in the run, for `ToolError.seq`. */
  seq: number;
}

export interface LogTail {
  text: string;
  lines: number;
  droppedLines: number;
}

/** One guest. Deterministic: the same options and the same calls give the same turns. */
export interface Sandbox {
  /** Runs the script until it waits or ends. Once. */
  start(program: Program): Turn;
  /** Answers a call with a value (JSON text; left out: undefined) and runs the guest on. */
  resolve(id: number, json?: string): Turn;
  reject(id: number, failure: CallFailure): Turn;
  readonly log: LogTail;
  /** Adds a line of the host's own to the log. */
  note(line: string): void;
  /** Frees the engine. Idempotent. */
  dispose(): void;
}
