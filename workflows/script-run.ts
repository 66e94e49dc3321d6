import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunError } from '../sdk/protocol';
import { formatDuration } from '../sdk/protocol';
import {
  ENGINE,
  UNKNOWN_ENGINE,
  answerQuery,
  answerSignal,
  callQuery,
  callsQuery,
  failureTypes,
  logQuery,
  progressQuery,
  runSignal,
  workersSignal,
  type RunEnd,
  type RunInput,
  type RunProgram,
  type RunStart,
} from './contract';
import { Guest, type GuestOutcome } from './guest';
import { reply } from './reply';

/** Why a run is over. */
type Ending = GuestOutcome | { kind: 'canceled' };

/**
 * One run: the script in its sandbox, its calls, signals and times. Everything that the script does
 * happens between two events of the history, in the same order on every replay.
 */
export async function scriptRun(
  start: RunStart,
  program: RunProgram,
  input: RunInput,
): Promise<RunEnd> {
  if (start.engine !== ENGINE) throw unknownEngine(start.engine);
  // The run decides what a cancel means; it must not reach into the script's calls on its own.
  const canceled = CancellationScope.current().cancelRequested;
  return CancellationScope.nonCancellable(async () => {
    const work = new CancellationScope();
    const guest = await work.run(() => Guest.create(start, program, input));
    listen(guest);
    const ending = await Promise.race<Ending>([
      work.run(() => guest.run()),
      canceled.catch((): Ending => ({ kind: 'canceled' })),
      work
        .run(() => sleep(timeLeft(start)))
        .then(
          (): Ending => ({ kind: 'expired' }),
          // Only when the work is over, and then nobody listens.
          (): Ending => ({ kind: 'canceled' }),
        ),
    ]);
    const open = guest.openCalls;
    guest.stop();
    work.cancel();
    // Closing in the same task could be refused for as long as answers stream in.
    if (open > 0) await sleep(1);
    return close(ending, guest, start);
  });
}

/** The time to live counts from the start, also where no script worker was up then. */
function timeLeft({ ttlMs }: RunStart): number {
  return Math.max(workflowInfo().startTime.getTime() + ttlMs - Date.now(), 1);
}

function listen(guest: Guest): void {
  setHandler(answerSignal, (answer, body) => guest.answers.take(answer, body));
  setHandler(runSignal, (signal) => guest.deliver(signal));
  setHandler(workersSignal, () => guest.routes.workersAppeared());
  setHandler(progressQuery, () => reply(guest.progress()));
  setHandler(logQuery, () => reply(guest.log()));
  setHandler(answerQuery, (question) => guest.answers.verdict(question));
  setHandler(callQuery, (seq) => guest.callState(seq));
  setHandler(callsQuery, () => reply(guest.records()));
}

function close(ending: Ending, guest: Guest, start: RunStart): RunEnd {
  // Lists read only what visibility has.
  upsertMemo({ waitingFor: null, unreadSignals: null, calls: guest.end().calls });
  switch (ending.kind) {
    case 'completed':
      return { ...guest.end(), outputJson: ending.json };
    case 'failed':
      throw failure(failureTypes.scriptFailed, ending.error, guest.end());
    case 'expired':
      upsertSearchAttributes({ RewindState: ['expired'] });
      throw failure(
        failureTypes.expired,
        { name: 'Error', message: `expired after ${formatDuration(start.ttlMs)}` },
        guest.end(),
      );
    case 'canceled':
      throw new CancelledFailure('canceled');
  }
}

function failure(type: string, error: RunError, end: RunEnd): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: error.message,
    nonRetryable: true,
    details: [{ ...end, error }],
  });
}

/**
 * A run that has done something already cannot end by itself: the replay of its history would go
 * another way. It fails the task instead, and a gateway ends the run (gateway/temporal/stuck.ts).
 */
function unknownEngine(engine: string): Error {
  const { taskQueue, unsafe } = workflowInfo();
  const message = `${UNKNOWN_ENGINE} ${engine}; the script workers of ${taskQueue} have ${ENGINE}`;
  if (unsafe.isReplaying) return new Error(message);
  return failure(
    failureTypes.scriptFailed,
    { name: 'Error', message },
    { calls: 0, log: { text: '', lines: 0, droppedLines: 0 }, records: [] },
  );
}
