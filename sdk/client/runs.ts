import type { Duration } from '../protocol/duration';
import { parseDuration } from '../protocol/duration';
import type { Labels } from '../protocol/labels';
import { limits } from '../protocol/limits';
import type { TextPage } from '../protocol/page';
import type { Run, RunState, TraceEntry } from '../protocol/run';
import type { Http } from './http';
import { jsonArgument } from './json-argument';
import { labelPairs } from './label-pairs';
import type { RequestOptions } from './options';
import { pageOf, type ListParams, type Page } from './page';
import { sleep } from './sleep';

/** Parameters of {@link Runs.create}. */
export interface CreateRunParams {
  /** One TypeScript file, at most 256 KiB. */
  script: string;
  /** Id of the toolset whose tools the script can call. */
  toolset: string;
  /** Any JSON, at most 1 MiB: what the script sees as `input`. */
  input?: unknown;
  labels?: Labels;
  /** Time to live: the run then ends as `expired`. Default `"7d"`, at most `"365d"`. */
  ttl?: Duration;
}

/** Parameters of {@link Runs.list}. */
export interface ListRunsParams extends ListParams {
  state?: RunState;
  /** Only runs that have all of these. */
  labels?: Labels;
}

/** Parameters of {@link Runs.retry}. */
export interface RetryRunParams {
  /** The corrected script. Left out: the same one, for a run that did not complete. */
  script?: string;
  /** Make a call of unknown outcome again. Left out, it has the same unknown outcome again. */
  repeatUnknown?: boolean;
}

/** Parameters of {@link Runs.trace}. */
export interface TraceParams extends ListParams {
  /** Number of the first call. Default 1. */
  from?: number;
}

/** Part of a long text, in bytes of UTF-8. */
export interface TextParams {
  /** Default 0. */
  offset?: number;
  limit?: number;
}

const ENDED: ReadonlySet<RunState> = new Set(['completed', 'failed', 'canceled', 'expired']);

/** Runs: durable executions of scripts. */
export class Runs {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Checks a script and starts a run of it. A script with type errors is refused with a
   * `ScriptRefusedError`: nothing was run then. With the same `idempotencyKey` and arguments, gives
   * the same run.
   */
  async create(params: CreateRunParams, options?: RequestOptions): Promise<Run> {
    const { script, toolset, input, labels, ttl } = params;
    return this.#http.request('createRun', {
      body: {
        script,
        toolset,
        input: input === undefined ? undefined : jsonArgument(input, 'input', limits.inputBytes),
        labels,
        ttl,
      },
      options: withKey(options),
    });
  }

  /** A run as it is now; with `wait` (at most `"60s"`), answers as soon as its state changes. */
  async retrieve(
    id: string,
    params: { wait?: Duration } = {},
    options?: RequestOptions,
  ): Promise<Run> {
    return this.#http.request('retrieveRun', {
      params: { id },
      query: { wait: params.wait },
      waitMs: parseDuration(params.wait) ?? 0,
      options,
    });
  }

  /** Waits until the run has ended, however long that takes. Ending badly is no error here. */
  async wait(id: string, options: { signal?: AbortSignal } = {}): Promise<Run> {
    for (let quick = 0; ;) {
      const asked = performance.now();
      const run = await this.retrieve(id, { wait: '60s' }, options);
      if (ENDED.has(run.state)) return run;
      // A run may change its state often, and something between may cut waits short: never spin.
      quick = performance.now() - asked < 1_000 ? quick + 1 : 0;
      if (quick > 1) await sleep(Math.min(1_000, 10 * 2 ** quick), options.signal);
      options.signal?.throwIfAborted();
    }
  }

  /** Runs, newest first. */
  async list(params: ListRunsParams = {}, options?: RequestOptions): Promise<Page<Run>> {
    const { limit, cursor, state, labels } = params;
    const answer = await this.#http.request('listRuns', {
      query: { limit, cursor, state, label: labels && labelPairs(labels) },
      options,
    });
    return pageOf(answer, (next) => this.list({ ...params, cursor: next }, options));
  }

  /** A part of the output as text: a string as it is, everything else as JSON. */
  async output(id: string, params: TextParams = {}, options?: RequestOptions): Promise<TextPage> {
    const { offset, limit } = params;
    return this.#http.request('runOutput', { params: { id }, query: { offset, limit }, options });
  }

  /** A part of what the script logged. */
  async log(id: string, params: TextParams = {}, options?: RequestOptions): Promise<TextPage> {
    const { offset, limit } = params;
    return this.#http.request('runLog', { params: { id }, query: { offset, limit }, options });
  }

  /** A part of the script, as it was sent. */
  async script(id: string, params: TextParams = {}, options?: RequestOptions): Promise<TextPage> {
    const { offset, limit } = params;
    return this.#http.request('runScript', { params: { id }, query: { offset, limit }, options });
  }

  /** The calls of a run, in the order in which the script made them. */
  async trace(
    id: string,
    params: TraceParams = {},
    options?: RequestOptions,
  ): Promise<Page<TraceEntry>> {
    const { limit, cursor, from } = params;
    const answer = await this.#http.request('runTrace', {
      params: { id },
      query: { limit, cursor, from: cursor === undefined ? from : undefined },
      options,
    });
    return pageOf(answer, (next) => this.trace(id, { ...params, cursor: next }, options));
  }

  /**
   * Sends a signal, at most 256 KiB of JSON. Signals of a name reach the script in order, each once,
   * also those sent before it waits.
   */
  async signal(
    id: string,
    name: string,
    payload?: unknown,
    options?: RequestOptions,
  ): Promise<void> {
    await this.#http.request('signalRun', {
      params: { id },
      body: {
        name,
        payload:
          payload === undefined ? undefined : jsonArgument(payload, 'payload', limits.signalBytes),
      },
      options: withKey(options),
    });
  }

  /**
   * Runs an ended run again, with a corrected script where one is given. Calls that it finished are
   * answered from its record and not made again, while the script asks for the same calls in the same
   * order; the run that this gives goes on from there.
   */
  async retry(id: string, params: RetryRunParams = {}, options?: RequestOptions): Promise<Run> {
    const { script, repeatUnknown } = params;
    return this.#http.request('retryRun', {
      params: { id },
      body: { script, repeatUnknown },
      options: withKey(options),
    });
  }

  /** Ends a run now. Its open calls are dropped; what was done is not undone. */
  async cancel(
    id: string,
    params: { reason?: string } = {},
    options?: RequestOptions,
  ): Promise<Run> {
    const { reason } = params;
    return this.#http.request('cancelRun', { params: { id }, body: { reason }, options });
  }
}

/** A key of its own where the caller gives none, so that a repeated request has no second effect. */
function withKey(options: RequestOptions | undefined): RequestOptions {
  return { ...options, idempotencyKey: options?.idempotencyKey ?? crypto.randomUUID() };
}
