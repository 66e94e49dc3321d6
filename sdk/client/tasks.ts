import { limits } from '../protocol/limits';
import type { Http } from './http';
import type { RequestOptions } from './options';
import { jsonArgument } from './json-argument';

/** What a call that is failed by its token fails with. */
export interface TaskFailure {
  message: string;
  /** Any JSON, at most 256 KiB: the script's `ToolError.data`. */
  data?: unknown;
}

/** Answers to deferred calls, from any process: whoever holds the token answers. */
export class Tasks {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Completes a call: the script gets `result` (`undefined` as null). A call is answered once: the
   * same answer again is fine, another one is refused with a `ConflictError`, and so is an answer to
   * a run that has ended (`RunEndedError`).
   */
  async complete(token: string, result?: unknown, options?: RequestOptions): Promise<void> {
    const body = { token, result: jsonArgument(result, 'result', limits.resultBytes) };
    await this.#http.request('completeTask', { body, options });
  }

  /** Fails a call: the script gets a `ToolError` with this message and data. */
  async fail(token: string, error: TaskFailure, options?: RequestOptions): Promise<void> {
    const { message, data } = error;
    const failure =
      data === undefined
        ? { message }
        : { message, data: jsonArgument(data, 'data', limits.errorDataBytes) };
    await this.#http.request('failTask', { body: { token, error: failure }, options });
  }
}
