import type { CheckResult } from '../protocol/run';
import type { Http } from './http';
import type { RequestOptions } from './options';

/** Scripts that are not run. */
export class Scripts {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Type-checks a script against a toolset. Nothing is run; a refused script is an answer, no error. */
  async check(
    params: { script: string; toolset: string },
    options?: RequestOptions,
  ): Promise<CheckResult> {
    const { script, toolset } = params;
    return this.#http.request('checkScript', { body: { script, toolset }, options });
  }
}
