import { heartbeatResult } from '../protocol/task';
import { backoffMs } from '../client/backoff';
import type { Http } from '../client/http';
import { sleep } from '../client/sleep';
import { ServerError, type RewindError } from '../errors/errors';
import type { Lease } from './lease';
import type { Report } from './options';
import { isRefusal } from './refusal';

/** What the heartbeats of a worker need. */
export interface HeartbeatOptions {
  http: Http;
  worker: string;
  report: Report;
  /** The key was refused. */
  refused: (error: RewindError) => void;
}

interface Entry {
  dueAt: number;
  failures: number;
  sending: boolean;
}

/** Keeps one request well below the limit of an HTTP body, whatever the length of the tokens. */
const BATCH = 100;
/** An answer waits no longer than this for a heartbeat in flight. */
const MAX_PAUSE_MS = 2_000;

/**
 * Sends the heartbeats of all calls of a worker: every third of the lease, and sooner after one that
 * failed. One timer serves them all; heartbeats that are due together share a request. While there
 * are calls the timer keeps the process alive, as the handlers may have nothing else that does.
 */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #entries = new Map<Lease, Entry>();
  readonly #inFlight = new Map<Lease, Set<Promise<unknown>>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakeAt = Infinity;
  readonly #closed = new AbortController();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** From now on; the first one leaves at once, or in the next turn so that an instant handler needs none. */
  start(lease: Lease, first: 'at once' | 'next turn'): void {
    if (!lease.held) return;
    this.#entries.set(lease, { dueAt: performance.now(), failures: 0, sending: false });
    if (first === 'at once') this.#beat();
    else this.#schedule();
  }

  /**
   * No more for now. Waits for the one in flight: a heartbeat that reaches the server behind the
   * answer would look like a lost claim.
   */
  async pause(lease: Lease): Promise<void> {
    this.#remove(lease);
    const requests = this.#inFlight.get(lease);
    if (!requests) return;
    const cut = new AbortController();
    await Promise.race([Promise.allSettled(requests), sleep(MAX_PAUSE_MS, cut.signal)]);
    cut.abort();
  }

  /** One more, beside the others; resolves when it, or a repeat of it, was accepted. */
  async now(lease: Lease): Promise<void> {
    for (let failures = 0; lease.check(performance.now()); failures++) {
      const [outcome] = await this.#send([lease]);
      if (outcome === 'ok') return;
      if (lease.held) await sleep(retryMs(lease, failures), lease.ended);
    }
    if (lease.lost) throw lease.reason;
  }

  /** When no call is left: one that still hangs would keep the process alive. */
  close(): void {
    this.#closed.abort();
  }

  /** Sends what is due, loses what has expired. */
  #beat(): void {
    const now = performance.now();
    const due: Lease[] = [];
    for (const [lease, entry] of this.#entries) {
      if (!lease.check(now)) this.#entries.delete(lease);
      // Those that are nearly due come along: fewer requests.
      else if (!entry.sending && entry.dueAt <= now + lease.intervalMs / 10) due.push(lease);
    }
    for (let at = 0; at < due.length; at += BATCH) {
      this.#automatic(due.slice(at, at + BATCH)).catch(() => undefined);
    }
    this.#wakeAt = Infinity;
    this.#schedule();
  }

  async #automatic(leases: Lease[]): Promise<void> {
    const entries = leases.map((lease) => this.#entries.get(lease));
    for (const entry of entries) if (entry) entry.sending = true;
    const sentAt = performance.now();
    const outcomes = await this.#send(leases);
    leases.forEach((lease, index) => {
      const entry = entries[index];
      if (!entry) return;
      entry.sending = false;
      if (outcomes[index] === 'ok') {
        entry.failures = 0;
        entry.dueAt = sentAt + lease.intervalMs;
      } else {
        entry.dueAt = performance.now() + retryMs(lease, entry.failures++);
        if (!lease.held) this.#remove(lease);
      }
    });
    this.#schedule();
  }

  async #send(leases: Lease[]): Promise<('ok' | 'lost' | 'retry')[]> {
    const sentAt = performance.now();
    const request = this.#request(leases);
    for (const lease of leases) this.#track(lease, request);
    try {
      const statuses = await request;
      leases.forEach((lease, index) => {
        if (statuses[index] === 'ok') lease.accept(sentAt);
        if (statuses[index] === 'lost') lease.lose('the server says so');
      });
      if (statuses.includes('retry')) {
        throw new ServerError('a heartbeat was not recorded and is sent again', {
          code: 'unavailable',
        });
      }
      return statuses;
    } catch (error) {
      if (this.#closed.signal.aborted) return leases.map(() => 'lost');
      const [only] = leases.length === 1 ? leases : [];
      this.#options.report(error, {
        during: 'heartbeat',
        ...(only && { tool: only.task.tool, runId: only.task.runId, seq: only.task.seq }),
      });
      if (isRefusal(error)) this.#options.refused(error);
      return request.catch(() => leases.map(() => 'retry' as const));
    }
  }

  async #request(leases: Lease[]): Promise<('ok' | 'lost' | 'retry')[]> {
    const interval = Math.min(...leases.map((lease) => lease.intervalMs));
    const answer = await this.#options.http.request('heartbeatTasks', {
      body: {
        worker: this.#options.worker,
        tasks: leases.map(({ task }) => ({ token: task.token, begun: true })),
      },
      // Cut off after one interval: one that hangs must not outlive the lease.
      timeoutMs: Math.max(500, interval),
      options: { maxRetries: 0, signal: this.#closed.signal },
    });
    const parsed = heartbeatResult.safeParse(answer);
    if (!parsed.success || parsed.data.tasks.length !== leases.length) {
      throw new ServerError('the server answered a heartbeat with something else', {
        code: 'invalid_response',
      });
    }
    return parsed.data.tasks.map(({ status }) => status);
  }

  #track(lease: Lease, request: Promise<unknown>): void {
    const requests = this.#inFlight.get(lease) ?? new Set();
    this.#inFlight.set(lease, requests.add(request));
    const untrack = (): void => {
      requests.delete(request);
      if (requests.size === 0) this.#inFlight.delete(lease);
    };
    request.then(untrack, untrack);
  }

  #remove(lease: Lease): void {
    this.#entries.delete(lease);
    if (this.#entries.size > 0) return;
    clearTimeout(this.#timer);
    this.#wakeAt = Infinity;
  }

  #schedule(): void {
    let wakeAt = Infinity;
    for (const [lease, entry] of this.#entries) {
      wakeAt = Math.min(wakeAt, lease.expiresAt, entry.sending ? Infinity : entry.dueAt);
    }
    if (wakeAt >= this.#wakeAt) return;
    clearTimeout(this.#timer);
    this.#wakeAt = wakeAt;
    this.#timer = setTimeout(
      () => this.#beat(),
      Math.max(0, Math.ceil(wakeAt - performance.now())),
    );
  }
}

/** So soon that a lease has room for several, and survives a server that is away for a moment. */
function retryMs(lease: Lease, failures: number): number {
  const { intervalMs } = lease;
  return backoffMs(failures, { firstMs: Math.min(1_000, intervalMs / 4), maxMs: intervalMs / 2 });
}
