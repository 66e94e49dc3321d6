import { formatDuration, type Duration } from '../protocol/duration';
import { defaults, limits } from '../protocol/limits';
import { toolsetIdSchema } from '../protocol/toolset';
import { invalid, readCount, readDuration } from '../client/options';
import { standardOf, type StandardProps } from '../tools/standard-schema';
import type { HostToolHandler } from './context';

/** Options of `rewind.worker`. */
export interface WorkerOptions {
  /**
   * The handlers, by tool name as the toolset declares it (`"crm.find_customer"`), or what `tool()`
   * gives. The worker claims only these tools. A handler that blocks the event loop also stops its
   * own heartbeats, and so may lose its claim.
   */
  tools: Record<string, HostToolHandler | { handler: HostToolHandler }>;
  /** Only the calls of runs of this toolset. Default: of every toolset that declares these tools. */
  toolset?: string;
  /** Handlers running at once. Default 10. */
  concurrency?: number;
  /** How long one claim request waits for a call, `"2s"` to `"5m"`. Default `"30s"`. */
  pollWait?: Duration;
  /** Stops the worker when aborted, as `stop()` does. */
  signal?: AbortSignal;
  /**
   * Called with what fails along the way: claims, heartbeats, answers, handlers. What it throws
   * changes nothing. Default: `console.error`.
   */
  onError?: (error: unknown, context: WorkerErrorContext) => void;
}

/** What the worker was doing when something failed, and for which call, where it was one. */
export interface WorkerErrorContext {
  during: 'claim' | 'heartbeat' | 'answer' | 'handler';
  tool?: string;
  runId?: string;
  seq?: number;
}

/** A worker that runs: it began to claim when it was made. */
export interface HostToolWorker {
  /**
   * Resolves when the worker has stopped. Rejects when the server refuses its key (401, 403), after
   * the handlers that were running; nobody has to look at it.
   */
  readonly done: Promise<void>;
  /**
   * Starts no new claims, lets those in flight finish, executes what they bring, and waits for the
   * handlers and their answers. May be called again; never rejects.
   */
  stop(): Promise<void>;
}

/** Reports a failure to `onError`. */
export type Report = (error: unknown, context: WorkerErrorContext) => void;

/** A handler and how its input and result are parsed. */
export interface Tool {
  run: HostToolHandler;
  input?: StandardProps;
  output?: StandardProps;
}

/** Options, checked, with everything that they leave out. */
export interface WorkerSettings {
  tools: ReadonlyMap<string, Tool>;
  toolset: string | undefined;
  concurrency: number;
  pollWaitMs: number;
  signal: AbortSignal | undefined;
  report: Report;
}

/** Checks the options; what is wrong with them is thrown here, before the worker does anything. */
export function readWorkerOptions(options: WorkerOptions): WorkerSettings {
  const { toolset, onError = logError } = options;
  if (toolset !== undefined && !toolsetIdSchema.safeParse(toolset).success) {
    throw invalid('toolset', 'must be the id of a toolset, such as toolset.id');
  }
  return {
    tools: readTools(options.tools),
    toolset,
    concurrency: readCount(options.concurrency ?? defaults.concurrency, 'concurrency', 1, 10_000),
    pollWaitMs: readDuration(
      options.pollWait ?? formatDuration(defaults.pollWaitMs),
      'pollWait',
      limits.pollWaitMinMs,
      limits.pollWaitMaxMs,
    ),
    signal: options.signal,
    report: (error, context) => {
      try {
        const returned: unknown = onError(error, context);
        // An asynchronous one may reject later.
        if (returned instanceof Promise) returned.catch(() => undefined);
      } catch {
        // What onError throws must not reach the calls in hand.
      }
    },
  };
}

function readTools(tools: unknown): ReadonlyMap<string, Tool> {
  if (typeof tools !== 'object' || tools === null) {
    throw invalid('tools', 'must be an object of handlers by tool name');
  }
  const entries = Object.entries(tools as Record<string, unknown>);
  if (entries.length === 0) throw invalid('tools', 'must have at least one handler');
  if (entries.length > limits.toolsetTools) {
    throw invalid('tools', `must have at most ${limits.toolsetTools} handlers`);
  }
  return new Map(entries.map(([name, value]) => [name, readTool(name, value)]));
}

function readTool(name: string, value: unknown): Tool {
  const where = `tools[${JSON.stringify(name)}]`;
  if (name === '' || name.length > limits.toolNameLength) {
    throw invalid(where, `the name must have 1 to ${limits.toolNameLength} characters`);
  }
  if (typeof value === 'function') return { run: value as HostToolHandler };
  const definition = value as { handler?: unknown; input?: unknown; output?: unknown } | null;
  if (typeof definition !== 'object' || typeof definition?.handler !== 'function') {
    throw invalid(where, 'must be a handler, or an object with one as `handler`');
  }
  const { handler } = definition;
  const input = standardOf(definition.input);
  const output = standardOf(definition.output);
  return {
    run: (args, ctx) => (handler as HostToolHandler).call(definition, args, ctx),
    ...(input && { input }),
    ...(output && { output }),
  };
}

function logError(error: unknown, context: WorkerErrorContext): void {
  // eslint-disable-next-line no-console -- the documented default: a failure nobody listens for is not lost
  console.error(error, context);
}
