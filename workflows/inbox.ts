import { Arrival } from './arrival';
import type { RunSignal } from './contract';

/** Keys of signals that are remembered, so that a repeat is not delivered twice. */
const KEYS_KEPT = 1000;
/** Names of unread signals that are shown: they stand in the memo. */
const NAMES_SHOWN = 30;

interface Waiter {
  arrival: Arrival;
  payload?: { value: unknown };
}

/** Signals for the script: of one name in order, each to one wait, kept until somebody waits. */
export class Inbox {
  private readonly unread = new Map<string, unknown[]>();
  private readonly waiters = new Map<string, Waiter[]>();
  private readonly keys = new Set<string>();

  deliver(signal: RunSignal): void {
    if (this.keys.has(signal.key)) return;
    this.keys.add(signal.key);
    if (this.keys.size > KEYS_KEPT) this.keys.delete(this.keys.values().next().value ?? '');
    const waiter = this.waiters.get(signal.name)?.shift();
    if (waiter) {
      waiter.payload = { value: signal.payload };
      waiter.arrival.come();
      return;
    }
    const queue = this.unread.get(signal.name);
    if (queue) queue.push(signal.payload);
    else this.unread.set(signal.name, [signal.payload]);
  }

  /** A payload that is there already. Synchronous: waits get signals in the order they were begun. */
  read(name: string): { value: unknown } | undefined {
    const queue = this.unread.get(name);
    if (!queue?.length) return undefined;
    const value = queue.shift();
    if (queue.length === 0) this.unread.delete(name);
    return { value };
  }

  /** The next signal of the name; `undefined` when the time is over. */
  async wait(name: string, timeoutMs?: number): Promise<{ value: unknown } | undefined> {
    const waiter: Waiter = { arrival: new Arrival() };
    const queue = this.waiters.get(name);
    if (queue) queue.push(waiter);
    else this.waiters.set(name, [waiter]);
    if (!(await waiter.arrival.wait(timeoutMs))) this.forget(name, waiter);
    return waiter.payload;
  }

  unreadNames(): { name: string; count: number }[] {
    return [...this.unread]
      .slice(0, NAMES_SHOWN)
      .map(([name, queue]) => ({ name, count: queue.length }));
  }

  private forget(name: string, waiter: Waiter): void {
    const queue = this.waiters.get(name);
    const index = queue?.indexOf(waiter) ?? -1;
    if (index >= 0) queue?.splice(index, 1);
  }
}
