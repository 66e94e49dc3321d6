import { limits } from '../protocol/limits';
import type { CheckResult } from '../protocol/run';
import type { Mock, TestResult } from '../protocol/script-test';
import type { Http } from './http';
import { jsonArgument } from './json-argument';
import type { RequestOptions } from './options';

/** Parameters of {@link Scripts.test}. */
export interface TestScriptParams {
  script: string;
  toolset: string;
  /** What the script sees as `input`. */
  input?: unknown;
  /** Answers to calls: those of a tool in order, and the last one again and again. At most 100. */
  mocks?: Mock[];
  /** What the script gets in `waitForSignal`. At most 20. */
  signals?: { name: string; payload?: unknown }[];
}

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

  /**
   * Runs a script with made-up answers: no tool is called, sleeps take no time, approvals count as
   * given, and nothing is kept. A script with type errors is refused with a `ScriptRefusedError`.
   */
  async test(params: TestScriptParams, options?: RequestOptions): Promise<TestResult> {
    const { script, toolset, input, mocks, signals } = params;
    return this.#http.request('testScript', {
      body: {
        script,
        toolset,
        input: input === undefined ? undefined : jsonArgument(input, 'input', limits.inputBytes),
        mocks,
        signals,
      },
      options,
    });
  }
}
