import { parseDuration, type Duration } from '../protocol/duration';
import { brand, hasBrand } from './brand';

/** What a {@link HostToolError} may carry. */
export interface HostToolErrorOptions {
  /** Any JSON, at most 256 KiB: the script's `ToolError.data`. */
  data?: unknown;
  /**
   * `true`: a tool under the `retry` policy is called again later, up to 5 attempts. Without effect
   * under `at_most_once`. Default `false`.
   */
  retryable?: boolean;
  /** How long until the next attempt, at most 1 day. Default `"1s"`, `"2s"`, `"4s"`, …, at most `"1m"`. */
  retryAfter?: Duration;
  cause?: unknown;
}

/**
 * The tool's failure: the script gets a `ToolError` with this `message` and `data`, and decides what
 * to do. It is not reported to `onError`.
 *
 * @example
 * throw new HostToolError(`no customer ${email}`, { data: { code: 'not_found' } });
 */
export class HostToolError extends Error {
  readonly data: unknown;
  readonly retryable: boolean;
  declare readonly retryAfter?: Duration;

  constructor(message: string, options: HostToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.retryAfter !== undefined && parseDuration(options.retryAfter) === undefined) {
      throw new TypeError('retryAfter must be a duration with its unit, such as "30s"');
    }
    this.data = options.data;
    this.retryable = options.retryable ?? false;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }

  /** Like `instanceof`, and true also for an error of another copy of this package. */
  static isInstance(this: void, value: unknown): value is HostToolError {
    return hasBrand(value, 'HostToolError');
  }
}

brand(HostToolError, 'HostToolError');
