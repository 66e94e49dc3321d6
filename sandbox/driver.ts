import { createSandbox } from './sandbox';
import type {
  CallFailure,
  GuestCall,
  GuestEnd,
  LogTail,
  Program,
  SandboxOptions,
  Turn,
} from './types';

/** The answer to a guest's call. */
export type DriverAnswer = { ok: true; json?: string } | { ok: false; failure: CallFailure };

export interface DriverOptions extends SandboxOptions {
  program: Program;
  /** Answers the guest's calls: tools, sleeps, signals. */
  answer: (call: GuestCall) => DriverAnswer | Promise<DriverAnswer>;
}

export interface DriverResult {
  end: GuestEnd;
  calls: GuestCall[];
  log: LogTail;
  turns: Turn[];
}

/** Runs a script in this process, with answers from a function: no engine, nothing durable. */
export async function runInProcess(options: DriverOptions): Promise<DriverResult> {
  const sandbox = await createSandbox(options);
  const calls: GuestCall[] = [];
  const turns: Turn[] = [];
  try {
    const end = await new Promise<GuestEnd>((resolve, reject) => {
      let ended = false;
      const take = (turn: Turn) => {
        turns.push(turn);
        calls.push(...turn.calls);
        if (turn.end) {
          ended = true;
          return resolve(turn.end);
        }
        for (const call of turn.calls) {
          Promise.resolve(options.answer(call)).then((answer) => {
            if (ended) return;
            take(
              answer.ok
                ? sandbox.resolve(call.id, answer.json)
                : sandbox.reject(call.id, answer.failure),
            );
          }, reject);
        }
      };
      take(sandbox.start(options.program));
    });
    return { end, calls, log: sandbox.log, turns };
  } finally {
    sandbox.dispose();
  }
}
