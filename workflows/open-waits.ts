import { condition, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { utf8Bytes, type Wait } from '../sdk/protocol';

/** Shown and kept at most; a run may wait for many more things. */
const SHOWN = 100;
/** Of the memo, which has to be readable without the store of large values. */
const SHOWN_BYTES = 16 * 1024;

/** What is kept beside the waits. */
export interface WaitFacts {
  calls: number;
  unreadSignals: { name: string; count: number }[];
}

/** Something of the run that is open. */
export interface OpenWait {
  /** Nothing of ours works on it: it waits for a person, an answer, a signal, a time or a worker. */
  passive: boolean;
  /** The tool of a call that no live group accepts. */
  readonly parkedTool?: string | undefined;
  show(): Wait;
}

/**
 * What the run waits for, and the copy of that in Temporal's visibility: written when the run begins
 * or ends to wait, never for each call, so that lists and reads need not wake the run.
 */
export class OpenWaits {
  private readonly open = new Map<number, OpenWait>();
  private changed = false;
  private publishedWaits: string | undefined;
  private publishedParked = '';

  set(id: number, wait: OpenWait): void {
    this.open.set(id, wait);
    this.changed = true;
  }

  delete(id: number): void {
    this.open.delete(id);
    this.changed = true;
  }

  /** A wait's own state changed. */
  touch(): void {
    this.changed = true;
  }

  get waiting(): boolean {
    if (this.open.size === 0) return false;
    for (const wait of this.open.values()) if (!wait.passive) return false;
    return true;
  }

  get size(): number {
    return this.open.size;
  }

  list(): Wait[] {
    const shown: Wait[] = [];
    let bytes = 0;
    for (const wait of this.open.values()) {
      const row = wait.show();
      bytes += utf8Bytes(JSON.stringify(row));
      if (shown.length === SHOWN || bytes > SHOWN_BYTES) break;
      shown.push(row);
    }
    return shown;
  }

  /** Keeps visibility up to date for as long as the run lasts. Coalesces what changes together. */
  async publish(facts: () => WaitFacts): Promise<never> {
    for (;;) {
      await condition(() => this.changed);
      this.changed = false;
      this.publishState(facts());
      this.publishParked();
    }
  }

  private publishState(facts: WaitFacts): void {
    const waitingFor = this.waiting ? this.list() : undefined;
    const text = waitingFor && JSON.stringify([waitingFor, facts.unreadSignals]);
    if (text === this.publishedWaits) return;
    const wasWaiting = this.publishedWaits !== undefined;
    this.publishedWaits = text;
    if (wasWaiting !== (text !== undefined)) {
      upsertSearchAttributes({ RewindState: [text ? 'waiting' : 'running'] });
    }
    // Temporal removes a memo's field that is set to null.
    upsertMemo(
      waitingFor
        ? { waitingFor, ...facts }
        : { waitingFor: null, unreadSignals: null, calls: facts.calls },
    );
  }

  private publishParked(): void {
    const tools = new Set<string>();
    for (const { parkedTool } of this.open.values()) if (parkedTool) tools.add(parkedTool);
    const parked = [...tools].sort().slice(0, SHOWN);
    if (parked.join(' ') === this.publishedParked) return;
    this.publishedParked = parked.join(' ');
    upsertSearchAttributes({ RewindParked: parked });
  }
}
