import { parseDuration, type Duration } from '../protocol/duration';
import { BadRequestError, RewindError } from '../errors/errors';

/** Options of {@link Rewind}. */
export interface RewindOptions {
  /** An API key. Default: the environment variable `REWIND_API_KEY`. */
  apiKey?: string;
  /**
   * An end user's token, instead of a key; `REWIND_API_KEY` is then not read. Giving both a key and
   * a token throws, and so does giving neither.
   */
  token?: string;
  /** Default: the environment variable `REWIND_BASE_URL`, else `http://127.0.0.1:7400`. */
  baseURL?: string;
  /** Most time for one request; a long poll adds its wait. Default `"60s"`. */
  timeout?: Duration;
  /**
   * How often a request is sent again after no connection, 408, 429 (as `Retry-After` says) or 5xx.
   * Requests that change something carry an idempotency key, so that a repeat has no second effect.
   * Default 2.
   */
  maxRetries?: number;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with each request, for a proxy of yours. They do not replace the client's own headers. */
  defaultHeaders?: Record<string, string>;
}

/** Options of one request; they come last. */
export interface RequestOptions {
  /** The same key again, with the same arguments, gives the same result and no second effect. */
  idempotencyKey?: string;
  /** Gives up when aborted: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Most time for this request. Default: the client's `timeout`. */
  timeout?: Duration;
  /** Default: the client's `maxRetries`. */
  maxRetries?: number;
}

/** Options with everything that they leave out. */
export interface Settings {
  credential: string;
  /** The credential is an end user's token, not a key. */
  isToken: boolean;
  baseURL: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
  headers: Record<string, string>;
}

/** Checks the options; the environment fills in what they leave out. Messages never show a credential. */
export function readOptions(options: RewindOptions): Settings {
  return {
    credential: readCredential(options),
    isToken: options.apiKey === undefined && options.token !== undefined,
    baseURL: readBaseURL(options.baseURL ?? environment('REWIND_BASE_URL') ?? DEFAULT_BASE_URL),
    timeoutMs: readDuration(options.timeout ?? '60s', 'timeout'),
    maxRetries: readCount(options.maxRetries ?? 2, 'maxRetries', 0, 100),
    // Looked up at each request, since tests and tracing replace the global one.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    headers: { ...options.defaultHeaders },
  };
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:7400';

function readCredential({ apiKey, token }: RewindOptions): string {
  if (apiKey !== undefined && token !== undefined) {
    throw invalid('apiKey', 'give an apiKey or a token, not both');
  }
  const credential = apiKey ?? token ?? environment('REWIND_API_KEY');
  if (credential === undefined || credential === '') {
    throw new RewindError(
      'no API key: set REWIND_API_KEY, or pass new Rewind({ apiKey }) or, for one end user, ' +
        'new Rewind({ token }). A server prints its first key when it is started for the first time; ' +
        'more are made with rewind.keys.create',
      { code: 'no_credential' },
    );
  }
  // Anything else would be refused by fetch, with a message that shows it.
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw invalid(
      apiKey !== undefined ? 'apiKey' : token !== undefined ? 'token' : 'REWIND_API_KEY',
      'holds blanks, line breaks or characters that no credential has',
    );
  }
  return credential;
}

function readBaseURL(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid('baseURL', 'is not a URL, such as https://rewind.example.com');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid('baseURL', 'must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('baseURL', 'must hold no user name, password, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

/** An environment variable; empty counts as unset, and files often leave a line break at the end. */
function environment(name: string): string | undefined {
  const value = typeof process === 'undefined' ? undefined : process.env[name]?.trim();
  return value === '' ? undefined : value;
}

/** Milliseconds of a duration option. */
export function readDuration(
  value: unknown,
  name: string,
  minMs = 1,
  maxMs = Number.MAX_SAFE_INTEGER,
): number {
  const ms = parseDuration(value);
  if (ms === undefined) throw invalid(name, 'must be a duration with its unit, such as "30s"');
  if (ms < minMs || ms > maxMs) {
    throw invalid(name, `must be from ${minMs} ms to ${maxMs} ms, and is ${ms} ms`);
  }
  return ms;
}

/** A whole number between two bounds. */
export function readCount(value: unknown, name: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(name, `must be a whole number from ${min} to ${max}`);
  }
  return value;
}

/** An option or argument that is wrong before anything is sent. */
export function invalid(field: string, problem: string): BadRequestError {
  return new BadRequestError(`${field}: ${problem}`, { code: 'invalid_request', field });
}
