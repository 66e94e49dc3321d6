import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import { Tinypool } from 'tinypool';
import { createTurns } from './turns';
import type { CheckOutcome, CheckScope, Checker, ToolProblem } from './types';

/** What one check may take. */
export interface CheckerOptions {
  /** Checks going on at once. */
  threads?: number;
  /** Milliseconds of one check; a first one parses the standard library as well. */
  timeoutMs?: number;
  /** Heap of one thread. */
  memoryMb?: number;
}

const OUTCOMES_KEPT = 500;
/** Larger outcomes are not kept: 500 of them would be no small matter. */
const KEPT_CHARACTERS = 100_000;

const entry =
  extname(__filename) === '.ts'
    ? join(__dirname, 'thread-from-source.cjs')
    : join(__dirname, 'check-thread.js');

/** Type-checks scripts in worker threads, so that a hostile one can stop neither the gateway nor other checks. */
export function createChecker(options: CheckerOptions = {}): Checker {
  const { threads = 2, timeoutMs = 10_000, memoryMb = 512 } = options;
  const pool = new Tinypool({
    filename: entry,
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 600_000,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 8 },
  });
  const outcomes = new Map<string, CheckOutcome>();

  const open = new Map<string, Promise<CheckOutcome>>();
  const inTurn = createTurns(threads);

  // The time counts from when a thread is there for it: a script is not to blame for those before it.
  const run = <T>(name: string, task: unknown): Promise<T> =>
    inTurn(() => pool.run(task, { name, signal: AbortSignal.timeout(timeoutMs) }) as Promise<T>);

  const checkNow = async (
    key: string,
    script: string,
    scope: CheckScope,
  ): Promise<CheckOutcome> => {
    try {
      const outcome = await run<CheckOutcome>('check', { script, scope });
      keep(outcomes, key, outcome);
      return outcome;
    } catch (error) {
      return tooMuch(reason(error, timeoutMs, memoryMb));
    } finally {
      open.delete(key);
    }
  };

  return {
    checkTools: async (tools) => {
      try {
        return await run<ToolProblem[]>('checkTools', { tools });
      } catch (error) {
        const tool = Object.keys(tools)[0] ?? '';
        return [{ tool, message: `its schemas ${reason(error, timeoutMs, memoryMb)}` }];
      }
    },
    check: async (script, scope) => {
      const key = createHash('sha256')
        .update(scope.id)
        .update('\0')
        .update(script)
        .digest('base64');
      const kept = outcomes.get(key);
      if (kept) return kept;
      // A program that starts many runs of one script at once needs one check.
      const same = open.get(key) ?? checkNow(key, script, scope);
      open.set(key, same);
      return same;
    },
    declarations: (scope: CheckScope, names?: string[]) =>
      run<string>('declarations', { scope, ...(names ? { names } : {}) }),
    close: () => pool.destroy(),
  };
}

function keep(outcomes: Map<string, CheckOutcome>, key: string, outcome: CheckOutcome): void {
  if (outcome.ok && outcome.script.code.length + outcome.script.map.length > KEPT_CHARACTERS)
    return;
  outcomes.set(key, outcome);
  const oldest = outcomes.keys().next().value;
  if (outcomes.size > OUTCOMES_KEPT && oldest !== undefined) outcomes.delete(oldest);
}

/** A thread that was ended: by the time limit, or by its own heap's. Anything else is a fault of ours. */
function reason(error: unknown, timeoutMs: number, memoryMb: number): string {
  const {
    name = '',
    code = '',
    message = '',
  } = error as { name?: string; code?: string; message?: string };
  if (name === 'AbortError' || name === 'TimeoutError' || /abort/i.test(message)) {
    return `took longer than ${timeoutMs / 1000} s to check`;
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || /memory|Worker exited|terminated/i.test(message)) {
    return `needed more than ${memoryMb} MB to check`;
  }
  if (error instanceof RangeError || name === 'RangeError') return 'are nested too deep to check';
  throw error;
}

function tooMuch(message: string): CheckOutcome {
  return {
    ok: false,
    diagnostics: [
      {
        line: 1,
        column: 1,
        code: 'RW1010',
        message: `the script ${message}`,
        frame: '',
        hint: 'make the script, or its types, simpler.',
      },
    ],
  };
}
