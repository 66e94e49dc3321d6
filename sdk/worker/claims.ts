import { claimResult, type Task } from '../protocol/task';
import { formatDuration } from '../protocol/duration';
import { backoffMs } from '../client/backoff';
import type { Http } from '../client/http';
import { sleep } from '../client/sleep';
import { RateLimitError, ServerError, type RewindError } from '../errors/errors';
import type { Report, WorkerSettings } from './options';
import { isRefusal } from './refusal';

/** What claiming needs. */
export interface ClaimOptions {
  http: Http;
  worker: string;
  settings: Pick<WorkerSettings, 'tools' | 'toolset' | 'concurrency' | 'pollWaitMs'>;
  report: Report;
  refused: (error: RewindError) => void;
  /** Executes a task; its slot is taken until this has settled. */
  execute: (task: Task) => Promise<void>;
}

/** Claim requests open at once, at most: enough that a burst of calls does not wait for round trips. */
const MAX_OPEN = 5;
/** How much later than its wait a reply may come before the connection counts as dead. */
const GRACE_MS = 15_000;
/** `fetch` of Node gives up after 5 minutes without a reply. */
const MAX_WAIT_MS = 295_000;
const RETRY = { firstMs: 250, maxMs: 10_000 };
/** Empty replies that come at once, as from a server that is stopping, must not become a tight loop. */
const EARLY = { firstMs: 50, maxMs: 2_000 };

/**
 * Keeps claim requests open: one for each free slot, at most {@link MAX_OPEN}. A request holds its slot,
 * so that there is always room for what it brings. After a failure a single request tries again, with
 * growing pauses, until one succeeds.
 */
export class Claims {
  readonly #options: ClaimOptions;
  readonly #body: Record<string, unknown>;
  readonly #stop = new AbortController();
  readonly #tools: readonly string[];
  #open = 0;
  #running = 0;
  #failures = 0;
  #early = 0;
  #pausing = false;
  #finished: () => void = () => undefined;
  /** Resolves when it was stopped, no request is open and nothing is executed. */
  readonly finished = new Promise<void>((resolve) => (this.#finished = resolve));

  constructor(options: ClaimOptions) {
    this.#options = options;
    const { tools, toolset, pollWaitMs } = options.settings;
    this.#tools = [...tools.keys()].sort();
    this.#body = {
      tools: this.#tools,
      toolset,
      wait: formatDuration(Math.min(pollWaitMs, MAX_WAIT_MS)),
      worker: options.worker,
    };
  }

  /** Claim requests in flight. */
  get open(): number {
    return this.#open;
  }

  /** Opens as many requests as there should be now. */
  fill(): void {
    if (this.#stop.signal.aborted) {
      if (this.#open === 0 && this.#running === 0) this.#finished();
      return;
    }
    if (this.#pausing) return;
    const wanted = this.#failures > 0 ? 1 : MAX_OPEN;
    const free = this.#options.settings.concurrency - this.#running;
    while (this.#open < Math.min(free, wanted)) {
      this.#open++;
      void this.#claim();
    }
  }

  /** No new requests; those in flight go on, and what they bring is executed. */
  stop(): void {
    this.#stop.abort();
    this.fill();
  }

  async #claim(): Promise<void> {
    let task: Task | null = null;
    try {
      task = await this.#request();
      this.#failures = 0;
    } catch (error) {
      await this.#failed(error);
    }
    this.#open--;
    if (task) void this.#execute(task);
    this.fill();
  }

  async #request(): Promise<Task | null> {
    const { http, settings } = this.#options;
    const { pollWaitMs, concurrency } = settings;
    const asked = performance.now();
    const reply = await http.request('claimTask', {
      // The slot of this request is free too.
      body: { ...this.#body, slots: concurrency - this.#running },
      waitMs: pollWaitMs,
      timeoutMs: GRACE_MS,
      options: { maxRetries: 0 },
    });
    const parsed = claimResult.safeParse(reply);
    if (!parsed.success) {
      throw new ServerError('the server answered a claim with something else', {
        code: 'invalid_response',
      });
    }
    const { task } = parsed.data;
    if (task || performance.now() - asked > Math.min(1_000, pollWaitMs / 2)) this.#early = 0;
    else await this.#pause(() => backoffMs(this.#early++, EARLY));
    return task;
  }

  async #failed(error: unknown): Promise<void> {
    const { report, refused } = this.#options;
    if (isRefusal(error)) {
      // All open requests are refused together: one report says it.
      if (!this.#stop.signal.aborted) report(error, { during: 'claim' });
      refused(error);
      return;
    }
    report(error, { during: 'claim' });
    const asked = RateLimitError.isInstance(error) ? error.retryAfter * 1000 : 0;
    await this.#pause(() => Math.max(asked, backoffMs(this.#failures++, RETRY)));
  }

  /**
   * Nothing new is opened meanwhile. Ends at once when the worker stops. Requests that fail together
   * pause once.
   */
  async #pause(ms: () => number): Promise<void> {
    if (this.#pausing) return;
    this.#pausing = true;
    await sleep(ms(), this.#stop.signal);
    this.#pausing = false;
  }

  async #execute(task: Task): Promise<void> {
    this.#running++;
    try {
      await this.#options.execute(task);
    } catch (error) {
      const { tool, runId, seq } = task;
      this.#options.report(error, { during: 'handler', tool, runId, seq });
    }
    this.#running--;
    this.fill();
  }
}
