import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import { INLINE_BYTES } from './contract';

/** Temporal ends a run whose history has more, or a run that sends more in one task. */
const EVENTS = 51_200;
const HISTORY_BYTES = 50 * 1024 * 1024;
const TASK_BYTES = 2 * 1024 * 1024;
/** Ours: what goes to the store has to be written before the task is given up. */
const TASK_STORE_BYTES = 8 * 1024 * 1024;

/** Kept free for the end of the run, its signals and what Temporal notes by itself. */
const SPARE_EVENTS = 300;
const SPARE_BYTES = 1024 * 1024;
/** Of a command beside its payloads. */
const COMMAND_BYTES = 400;

/** What something that the script asks for may still add to the history. */
export interface Need {
  /** Of its payload now. */
  bytes: number;
  /** Of what comes back, at most. */
  answerBytes: number;
  /** Its own, and those of a workflow task. */
  events: number;
  /** Whether it may wait until other things have ended, where they hold the room that it needs. */
  patient: boolean;
}

/** A delivery: scheduled, started, ended, and a workflow task. */
export const delivery = (bytes: number): Need => ({
  bytes,
  answerBytes: INLINE_BYTES,
  events: 6,
  patient: true,
});

/** A timer, a workflow task, and the state of the run on both sides of it. */
export const timer: Need = { bytes: 0, answerBytes: 0, events: 10, patient: false };

/** The run's history has no room for what the script asks for. */
export class HistoryFullError extends Error {}

/**
 * The room that is left in the history of the run. Both bounds are Temporal's, and it would end the
 * run in the middle of things: so what does not fit one task waits for the next, and what does not fit
 * the history waits for what is open, or is refused to the script.
 */
export class HistoryRoom {
  private taskLength = -1;
  private taskBytes = 0;
  private taskStoreBytes = 0;
  private open = 0;
  private reservedEvents = 0;
  private reservedBytes = 0;
  private nextTask: Promise<void> | undefined;

  /**
   * Takes room. Done at once where there is some, which keeps the order of commands; else a promise,
   * which rejects with `HistoryFullError`. What took room says with `done` that it has ended.
   */
  take(need: Need): Promise<void> | undefined {
    this.lookAtTask();
    if (!this.fits(need) || !this.fitsTask(need)) return this.waitFor(need);
    this.add(need);
    return undefined;
  }

  done(need: Need): void {
    this.open -= 1;
    this.reservedEvents -= need.events;
    this.reservedBytes -= need.answerBytes;
  }

  private add(need: Need): void {
    this.taskBytes += inlineBytes(need);
    this.taskStoreBytes += storeBytes(need);
    this.open += 1;
    this.reservedEvents += need.events;
    this.reservedBytes += need.answerBytes;
  }

  /** What earlier tasks sent is in the size of the history. */
  private lookAtTask(): void {
    const { historyLength } = workflowInfo();
    if (historyLength === this.taskLength) return;
    this.taskLength = historyLength;
    this.taskBytes = 0;
    this.taskStoreBytes = 0;
  }

  private fits(need: Need): boolean {
    const { historyLength, historySize } = workflowInfo();
    const events = historyLength + this.reservedEvents + need.events + SPARE_EVENTS;
    const bytes =
      historySize + this.taskBytes + this.reservedBytes + inlineBytes(need) + need.answerBytes;
    return events <= EVENTS && bytes + SPARE_BYTES <= HISTORY_BYTES;
  }

  private fitsTask(need: Need): boolean {
    if (this.taskBytes === 0) return true;
    return (
      this.taskBytes + inlineBytes(need) <= TASK_BYTES &&
      this.taskStoreBytes + storeBytes(need) <= TASK_STORE_BYTES
    );
  }

  private async waitFor(need: Need): Promise<void> {
    for (;;) {
      this.lookAtTask();
      if (!this.fits(need)) {
        const { open } = this;
        if (!need.patient || open === 0) throw new HistoryFullError(full());
        await condition(() => this.open < open);
      } else if (!this.fitsTask(need)) {
        this.nextTask ??= sleep(1).finally(() => (this.nextTask = undefined));
        await this.nextTask;
      } else {
        this.add(need);
        return;
      }
    }
  }
}

/** Large payloads go to the store. */
function inlineBytes({ bytes }: Need): number {
  return COMMAND_BYTES + (bytes > INLINE_BYTES ? 0 : bytes);
}

function storeBytes({ bytes }: Need): number {
  return bytes > INLINE_BYTES ? bytes : 0;
}

function full(): string {
  const { historyLength, historySize } = workflowInfo();
  const size = `${historyLength} of ${EVENTS} events, ${Math.round(historySize / 1024)} of ${HISTORY_BYTES / 1024} KiB`;
  return `the history of the run is full (${size}): return what there is, and go on in another run`;
}
