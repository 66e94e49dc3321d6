import { limits, type Policy } from '../sdk/protocol';
import type { AnswerError } from './contract';

/** How one delivery ended. */
export type Outcome =
  | { kind: 'answered'; value: unknown }
  | { kind: 'failed'; error: AnswerError }
  | { kind: 'deferred'; until: string }
  /** Given back, not begun. */
  | { kind: 'released' }
  /** Nobody claimed it within the schedule-to-start timeout. */
  | { kind: 'unclaimed' }
  /** The heartbeats stopped. `begun`: the worker had said that its handler began. */
  | { kind: 'lost'; begun: boolean }
  /** The tool's own timeout passed. */
  | { kind: 'timed_out' };

export interface Failure {
  code: 'failed' | 'timed_out' | 'outcome_unknown' | 'attempts_exhausted';
  message: string;
  data?: unknown;
  outcomeUnknown: boolean;
}

/** What the run does next. */
export type Decision =
  | { kind: 'settle'; value: unknown }
  | { kind: 'defer'; until: string }
  | { kind: 'fail'; failure: Failure }
  /** Deliver again; `attempt` is that of the next delivery. `reroute`: the group may be gone. */
  | { kind: 'again'; attempt: number; delayMs: number; reroute: boolean };

const again = (attempt: number, delayMs = 0, reroute = false): Decision => ({
  kind: 'again',
  attempt,
  delayMs,
  reroute,
});

/** 1 s, 2 s, 4 s, … at most a minute. */
export function backoffMs(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 1), 60_000);
}

const fail = (code: Failure['code'], message: string, outcomeUnknown = false): Decision => ({
  kind: 'fail',
  failure: { code, message, outcomeUnknown },
});

/**
 * The delivery table. An attempt is used up only where a handler may have begun; a repeat under
 * `at_most_once` happens only where none did.
 */
export function decide(outcome: Outcome, policy: Policy, attempt: number): Decision {
  const last = attempt >= limits.attempts;
  switch (outcome.kind) {
    case 'answered':
      return { kind: 'settle', value: outcome.value };
    case 'deferred':
      return { kind: 'defer', until: outcome.until };
    case 'released':
    case 'unclaimed':
      return again(attempt, 0, true);
    case 'failed':
      return decideFailure(outcome.error, policy, attempt);
    case 'lost':
      if (policy === 'retry') {
        return last
          ? fail('attempts_exhausted', `the worker was lost in each of ${attempt} attempts`)
          : again(attempt + 1, 0, true);
      }
      return outcome.begun
        ? fail(
            'outcome_unknown',
            'the worker was lost while it ran the call; it may have happened',
            true,
          )
        : again(attempt, 0, true);
    case 'timed_out':
      if (policy === 'at_most_once') {
        return fail('timed_out', 'the call passed the time limit of its tool', true);
      }
      return last
        ? fail(
            'timed_out',
            `the call passed the time limit of its tool in each of ${attempt} attempts`,
          )
        : again(attempt + 1);
  }
}

function decideFailure(error: AnswerError, policy: Policy, attempt: number): Decision {
  const retryable = error.retryable === true && policy === 'retry';
  if (retryable && attempt < limits.attempts) {
    return again(attempt + 1, error.retryAfterMs ?? backoffMs(attempt));
  }
  return {
    kind: 'fail',
    failure: {
      code: retryable ? 'attempts_exhausted' : 'failed',
      message: error.message,
      ...('data' in error ? { data: error.data } : {}),
      outcomeUnknown: false,
    },
  };
}
