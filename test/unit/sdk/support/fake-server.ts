import {
  Rewind,
  type HostToolWorker,
  type RewindOptions,
  type WorkerOptions,
} from '@rewind.codes/sdk';
import type { Task } from '@rewind.codes/sdk/protocol';

/** A request as the fake server got it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: Record<string, unknown>;
  signal: AbortSignal;
}

/** What a script answers: a body (200), a whole response, or a thrown error for a broken connection. */
export type Reply = Record<string, unknown> | Response;
/** Answers call number `n` (from 1) of a path. */
export type Script = (request: Received, n: number) => Reply | Promise<Reply>;

/** Never answers: ends when the client gives up. */
export function hang(request: Received): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(new DOMException('aborted', 'AbortError'));
    if (request.signal.aborted) fail();
    request.signal.addEventListener('abort', fail);
  });
}

/** As `fetch` fails without a connection. */
export function broken(code = 'ECONNRESET'): never {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

/** An error response of the wire contract. */
export function refusal(
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message: `said ${code}`, ...more } }, { status, headers });
}

/**
 * The HTTP layer under a client, without sockets: every request is kept, and can be answered per path
 * and call number. Unscripted: claims wait for `offer` or a leave, heartbeats and answers are accepted.
 */
export class FakeServer {
  readonly requests: Received[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #waiting: ((task: Task | null) => void)[] = [];
  readonly #tasks: Task[] = [];

  /** Scripts the answers to a path. */
  on(path: string, script: Script): this {
    this.#scripts.set(path, script);
    return this;
  }

  /** Brings a task to a claim, now or when one comes. */
  offer(task: Task): void {
    const claim = this.#waiting.shift();
    if (claim) claim(task);
    else this.#tasks.push(task);
  }

  /** Requests to a path, so far. */
  to(path: string): Received[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Claim requests that wait now. */
  get openClaims(): number {
    return this.#waiting.length;
  }

  /** All waiting claims come back empty. */
  releaseClaims(): void {
    for (const claim of this.#waiting.splice(0)) claim(null);
  }

  client(options: RewindOptions = {}): Rewind {
    return new Rewind({
      apiKey: 'rw_secret',
      baseURL: 'http://rewind.test',
      fetch: this.fetch,
      ...options,
    });
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(input);
    const request: Received = {
      method: init?.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init?.headers),
      body: JSON.parse((init?.body as string | undefined) ?? '{}') as Record<string, unknown>,
      signal: init?.signal as AbortSignal,
    };
    this.requests.push(request);
    const script = this.#scripts.get(url.pathname);
    const reply = script
      ? await script(request, this.to(url.pathname).length)
      : await this.#unscripted(request);
    return reply instanceof Response ? reply : Response.json(reply);
  };

  #unscripted(request: Received): Reply | Promise<Reply> {
    switch (request.path) {
      case '/v1/tasks/claim':
        return this.claim(request);
      case '/v1/tasks/heartbeat':
        return accepted(request);
      case '/v1/tasks/defer':
        return { token: 'deferred-token', deadline: '2030-01-01T00:00:00.000Z' };
      case '/v1/workers/leave':
        this.releaseClaims();
        return { ok: true };
      default:
        return { ok: true };
    }
  }

  /** What an unscripted claim does. */
  claim(request: Received): Promise<Reply> {
    const task = this.#tasks.shift();
    if (task) return Promise.resolve({ task });
    return new Promise((resolve, reject) => {
      const claim = (brought: Task | null): void => resolve({ task: brought });
      this.#waiting.push(claim);
      request.signal.addEventListener('abort', () => {
        this.#waiting.splice(this.#waiting.indexOf(claim), 1);
        reject(new DOMException('aborted', 'AbortError'));
      });
    });
  }
}

/** All heartbeats of a request are accepted. */
export function accepted(request: Received): Reply {
  return { tasks: (request.body['tasks'] as unknown[]).map(() => ({ status: 'ok' })) };
}

let tokens = 0;

/** A delivery of `crm.find`. */
export function task(fields: Partial<Task> = {}): Task {
  tokens += 1;
  return {
    token: `task-token-${tokens}`,
    tool: 'crm.find',
    input: { email: 'ada@example.com' },
    runId: 'run_01k4zt6m',
    seq: tokens,
    attempt: 1,
    policy: 'retry',
    leaseMs: 60_000,
    namespace: 'user-7',
    labels: { conversation: 'c1' },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    credentials: {},
    ...fields,
  };
}

/** A worker and what it reported. */
export interface TestWorker {
  worker: HostToolWorker;
  /** What `onError` got. */
  errors: { error: unknown; during: string; context: unknown }[];
}

const running = new Set<HostToolWorker>();

/** For afterEach: ends what a test started, whatever happened in it. */
export async function stopWorkers(): Promise<void> {
  const workers = [...running];
  running.clear();
  // One whose handler a failed test left waiting must not take the tests after it along.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise((resolve) => (timer = setTimeout(resolve, 5_000)));
  await Promise.race([Promise.all(workers.map((worker) => worker.stop())), enough]);
  clearTimeout(timer);
}

/** Starts a worker on a fake server. */
export function startWorker(
  server: FakeServer,
  options: Partial<WorkerOptions> & Pick<WorkerOptions, 'tools'>,
  client: Rewind = server.client(),
): TestWorker {
  const errors: TestWorker['errors'] = [];
  const worker = client.worker({
    onError: (error, context) => errors.push({ error, during: context.during, context }),
    ...options,
  });
  running.add(worker);
  return { worker, errors };
}
