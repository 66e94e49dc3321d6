import { describe, expect, test } from '@jest/globals';
import { backoffMs, decide, type Outcome } from '../../../workflows/outcome';

const lost = (begun: boolean): Outcome => ({ kind: 'lost', begun });

describe('the delivery table', () => {
  test('an answer settles the call, a deferral makes it wait', () => {
    expect(decide({ kind: 'answered', value: 1 }, 'retry', 1)).toEqual({
      kind: 'settle',
      value: 1,
    });
    expect(decide({ kind: 'deferred', until: 'then' }, 'at_most_once', 1)).toEqual({
      kind: 'defer',
      until: 'then',
    });
  });

  test.each(['retry', 'at_most_once'] as const)(
    'HT-26: under %s, a delivery that surely did not begin is repeated as the same attempt',
    (policy) => {
      for (const kind of ['released', 'unclaimed'] as const) {
        expect(decide({ kind }, policy, 3)).toEqual({
          kind: 'again',
          attempt: 3,
          delayMs: 0,
          reroute: true,
        });
      }
    },
  );

  test('HT-26: under at_most_once, a claim lost before its handler began is delivered again as the same attempt', () => {
    expect(decide(lost(false), 'at_most_once', 1)).toMatchObject({ kind: 'again', attempt: 1 });
  });

  test('HT-52: under at_most_once, a claim lost after its handler began is an unknown outcome', () => {
    expect(decide(lost(true), 'at_most_once', 1)).toMatchObject({
      kind: 'fail',
      failure: { code: 'outcome_unknown', outcomeUnknown: true },
    });
  });

  test('HT-50, HT-51: under retry, a lost claim is another attempt, up to the fifth', () => {
    for (const begun of [true, false]) {
      for (const attempt of [1, 2, 3, 4]) {
        expect(decide(lost(begun), 'retry', attempt)).toMatchObject({
          kind: 'again',
          attempt: attempt + 1,
        });
      }
      expect(decide(lost(begun), 'retry', 5)).toMatchObject({
        kind: 'fail',
        failure: { code: 'attempts_exhausted', outcomeUnknown: false },
      });
    }
  });

  test('HT-40: a retryable failure is called again after a growing delay, or the one it asks for', () => {
    const failed = (retryAfterMs?: number): Outcome => ({
      kind: 'failed',
      error: { message: 'busy', retryable: true, ...(retryAfterMs ? { retryAfterMs } : {}) },
    });
    expect(decide(failed(), 'retry', 1)).toMatchObject({
      kind: 'again',
      attempt: 2,
      delayMs: 1000,
    });
    expect(decide(failed(), 'retry', 3)).toMatchObject({ attempt: 4, delayMs: 4000 });
    expect(decide(failed(250), 'retry', 2)).toMatchObject({ attempt: 3, delayMs: 250 });
    expect(backoffMs(20)).toBe(60_000);
  });

  test('a call that stays retryable to its fifth attempt fails with the message and data of the last', () => {
    const error = { message: 'busy', data: { queue: 9 }, retryable: true };
    expect(decide({ kind: 'failed', error }, 'retry', 5)).toEqual({
      kind: 'fail',
      failure: {
        code: 'attempts_exhausted',
        message: 'busy',
        data: { queue: 9 },
        outcomeUnknown: false,
      },
    });
  });

  test('HT-41: retryable has no effect under at_most_once', () => {
    const error = { message: 'busy', retryable: true };
    expect(decide({ kind: 'failed', error }, 'at_most_once', 1)).toMatchObject({
      kind: 'fail',
      failure: { code: 'failed', outcomeUnknown: false },
    });
  });

  test('HT-42, HT-45: a failure without retryable is final on the first attempt', () => {
    expect(decide({ kind: 'failed', error: { message: 'no' } }, 'retry', 1)).toEqual({
      kind: 'fail',
      failure: { code: 'failed', message: 'no', outcomeUnknown: false },
    });
  });

  test('a passed time limit of the tool repeats under retry and is unknown under at_most_once', () => {
    const outcome: Outcome = { kind: 'timed_out' };
    expect(decide(outcome, 'retry', 4)).toMatchObject({ kind: 'again', attempt: 5 });
    expect(decide(outcome, 'retry', 5)).toMatchObject({
      kind: 'fail',
      failure: { code: 'timed_out', outcomeUnknown: false },
    });
    expect(decide(outcome, 'at_most_once', 1)).toMatchObject({
      kind: 'fail',
      failure: { code: 'timed_out', outcomeUnknown: true },
    });
  });
});
