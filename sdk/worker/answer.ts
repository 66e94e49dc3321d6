import { backoffMs } from '../client/backoff';
import { isTransient, type Http } from '../client/http';
import { sleep } from '../client/sleep';
import {
  BadRequestError,
  ConflictError,
  RateLimitError,
  TooLargeError,
  type RewindError,
} from '../errors/errors';
import type { Heartbeats } from './heartbeats';
import type { Lease } from './lease';
import type { Report } from './options';
import type { Outcome } from './outcome';
import { isRefusal } from './refusal';

/** What answering needs. */
export interface AnswerOptions {
  http: Http;
  heartbeats: Heartbeats;
  report: Report;
  refused: (error: RewindError) => void;
}

const RETRY = { firstMs: 250, maxMs: 5_000 };

/**
 * Sends what ends a claim (an answer, a deferral), again and again until there is a reply, for as long
 * as the claim may still be ours: between the tries heartbeats go on. Afterwards the lease is over.
 * Throws the error that a repeat would not heal, or why the claim is lost.
 */
export async function endClaim<T>(
  lease: Lease,
  { heartbeats, report, refused }: AnswerOptions,
  send: (timing: { timeoutMs: number; options: { maxRetries: 0 } }) => Promise<T>,
): Promise<T> {
  const { tool, runId, seq, leaseMs } = lease.task;
  // A try that hangs must leave time for another one within the lease.
  const timing = { timeoutMs: Math.max(2_000, leaseMs / 2), options: { maxRetries: 0 } } as const;
  for (let failures = 0; ; failures++) {
    await heartbeats.pause(lease);
    if (!lease.check(performance.now())) throw lease.reason;
    try {
      const reply = await send(timing);
      lease.end();
      return reply;
    } catch (error) {
      if (isClaimGone(error)) {
        lease.lose(error.message, error);
        throw error;
      }
      if (isRefusal(error)) refused(error);
      if (!isTransient(error)) throw error;
      report(error, { during: 'answer', tool, runId, seq });
      const asked = RateLimitError.isInstance(error) ? error.retryAfter * 1000 : 0;
      heartbeats.start(lease, 'next turn');
      await sleep(Math.max(asked, backoffMs(failures, RETRY)), lease.ended);
    }
  }
}

/** Answers a call. What cannot be sent is reported; a lost claim is nobody's fault and is not. */
export async function answer(
  lease: Lease,
  outcome: Outcome,
  options: AnswerOptions,
): Promise<void> {
  const { http, report } = options;
  const { token, tool, runId, seq } = lease.task;
  try {
    if ('error' in outcome) {
      const { error } = outcome;
      await endClaim(lease, options, (timing) =>
        http.request('failTask', { body: { token, error }, ...timing }),
      );
    } else {
      const { result } = outcome;
      await endClaim(lease, options, (timing) =>
        http.request('completeTask', { body: { token, result }, ...timing }),
      );
    }
  } catch (error) {
    if (lease.lost) return;
    report(error, { during: 'answer', tool, runId, seq });
    if ('result' in outcome && isUnacceptable(error)) {
      // The run would wait for the lease to pass, only to get the same refusal again.
      const message = `the result was refused: ${error.message}`;
      await answer(lease, { error: { message }, problems: [] }, options);
      return;
    }
    lease.end();
  }
}

function isClaimGone(error: unknown): error is ConflictError {
  return (
    ConflictError.isInstance(error) && (error.code === 'claim_lost' || error.code === 'run_ended')
  );
}

function isUnacceptable(error: unknown): error is RewindError {
  return BadRequestError.isInstance(error) || TooLargeError.isInstance(error);
}
