import type { Http } from '../client/http';
import { sleep } from '../client/sleep';
import type { RewindError } from '../errors/errors';
import type { Task } from '../protocol/task';
import { executeCall } from './call';
import { Claims } from './claims';
import { Heartbeats } from './heartbeats';
import { readWorkerOptions, type HostToolWorker, type WorkerOptions } from './options';

/** Makes a worker that claims from the next microtask on; throws for wrong options alone. */
export function startWorker(http: Http, options: WorkerOptions): HostToolWorker {
  return new Worker(http, options);
}

/** How often, and how far apart, a stopping worker asks the server to end its waiting claims. */
const LEAVE_TRIES = 3;
const LEAVE_PAUSE_MS = 1_000;

/** Puts the parts together: claims bring tasks, each is executed, heartbeats keep them. */
class Worker implements HostToolWorker {
  readonly done: Promise<void>;
  readonly #http: Http;
  readonly #id = `w_${crypto.randomUUID().replaceAll('-', '')}`;
  readonly #claims: Claims;
  readonly #stopped: Promise<void>;
  #state: 'new' | 'claiming' | 'stopping' = 'new';
  #refusal: RewindError | undefined;
  #leaving: Promise<void> | undefined;

  constructor(http: Http, options: WorkerOptions) {
    const settings = readWorkerOptions(options);
    const { report, signal, tools } = settings;
    const refused = (error: RewindError): void => {
      this.#refusal ??= error;
      this.#stop();
    };
    const heartbeats = new Heartbeats({ http, worker: this.#id, report, refused });
    const answering = { http, heartbeats, report, refused };
    const execute = async (task: Task): Promise<void> => {
      const tool = tools.get(task.tool);
      if (tool) await executeCall(task, tool, answering);
      else await this.#giveBack(task);
    };
    this.#http = http;
    this.#claims = new Claims({ http, worker: this.#id, settings, report, refused, execute });

    const stop = (): void => this.#stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.#stopped = this.#claims.finished.then(async () => {
      signal?.removeEventListener('abort', stop);
      heartbeats.close();
      await this.#leaving;
    });
    this.done = this.#stopped.then(() => {
      if (this.#refusal) throw this.#refusal;
    });
    // Nobody has to look at it.
    this.done.catch(() => undefined);

    queueMicrotask(() => {
      if (signal?.aborted) this.#stop();
      if (this.#state !== 'new') return;
      this.#state = 'claiming';
      this.#claims.fill();
    });
  }

  stop(): Promise<void> {
    this.#stop();
    return this.#stopped;
  }

  #stop(): void {
    if (this.#state === 'stopping') return;
    if (this.#state === 'claiming' && !this.#refusal) this.#leaving = this.#leave();
    this.#state = 'stopping';
    this.#claims.stop();
  }

  /**
   * Asks the server to end the claims that wait: otherwise they take up to `pollWait`. Best effort, and
   * again after a moment, since a claim that was just being sent may arrive behind it.
   */
  async #leave(): Promise<void> {
    const finished = new AbortController();
    void this.#claims.finished.then(() => finished.abort());
    for (let tries = 0; tries < LEAVE_TRIES; tries++) {
      try {
        await this.#http.request('leaveWorker', {
          body: { worker: this.#id },
          timeoutMs: 5_000,
          options: { maxRetries: 0 },
        });
      } catch {
        // The claims end by themselves, later.
      }
      if (this.#claims.open === 0) return;
      await sleep(LEAVE_PAUSE_MS, finished.signal);
      if (this.#claims.open === 0) return;
    }
  }

  /** A task that nobody here can execute: at once for somebody else. */
  async #giveBack({ token }: Task): Promise<void> {
    await this.#http.request('releaseTask', { body: { token } });
  }
}
