import type { z } from 'zod';
import { headers as headerNames, operations, type Operation } from '../protocol/api';
import { limits } from '../protocol/limits';
import { upcoming } from '../protocol/upcoming';
import { ConnectionError, RateLimitError, ServerError } from '../errors/errors';
import { errorFromResponse } from '../errors/from-response';
import { version } from '../version';
import { backoffMs } from './backoff';
import { jsonArgument } from './json-argument';
import { invalid, readCount, readDuration, type RequestOptions, type Settings } from './options';
import { MAX_TIMER_MS, sleep } from './sleep';

/** Whatever the wire contract has, served already or not. */
const contract = { ...operations, ...upcoming };
type OperationName = keyof typeof contract;

/** What an operation of the wire contract answers. */
export type Answer<Name extends OperationName> = z.output<(typeof contract)[Name]['response']>;

/** One request, in the words of the wire contract. */
export interface RequestParts {
  params?: Record<string, string>;
  query?: Record<string, string | number | readonly string[] | undefined>;
  /** Fields that are undefined are left out. */
  body?: Record<string, unknown>;
  options?: RequestOptions | undefined;
  /** How long the server may hold the request: added to the timeout. */
  waitMs?: number;
  /** Instead of the timeout of the options. */
  timeoutMs?: number;
}

/** Waits between the tries of one request. */
const RETRY = { firstMs: 500, maxMs: 8_000 };
/** Told to wait longer than this, a request ends with the error instead. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Sends requests: credential, namespace, timeout, retries and errors, for the whole package. The
 * fields are private in the strict sense, so that no inspection or log of a client shows its key.
 */
export class Http {
  readonly #settings: Settings;
  readonly #namespace: string | undefined;

  constructor(settings: Settings, namespace?: string) {
    this.#settings = settings;
    this.#namespace = namespace;
  }

  /** Whom requests act for is said: by a token, or by the end user that was named. */
  get actsForOne(): boolean {
    return this.#namespace !== undefined || this.#settings.isToken;
  }

  /** The same for one end user. */
  forNamespace(namespace: string): Http {
    return new Http(this.#settings, namespace);
  }

  /** Sends until there is an answer, an error that a repeat cannot heal, or no retry is left. */
  async request<Name extends OperationName>(
    name: Name,
    parts: RequestParts = {},
  ): Promise<Answer<Name>> {
    const { options = {} } = parts;
    const maxRetries =
      options.maxRetries === undefined
        ? this.#settings.maxRetries
        : readCount(options.maxRetries, 'maxRetries', 0, 100);
    const timeoutMs =
      (parts.timeoutMs ??
        (options.timeout === undefined
          ? this.#settings.timeoutMs
          : readDuration(options.timeout, 'timeout'))) + (parts.waitMs ?? 0);
    const url = this.#url(name, parts);
    const init: RequestInit = {
      method: contract[name].method.toUpperCase(),
      headers: this.#headers(parts),
      redirect: 'manual',
    };
    if (parts.body) init.body = encodeBody(parts.body);

    for (let failures = 0; ; failures++) {
      options.signal?.throwIfAborted();
      try {
        return (await this.#attempt(url, init, timeoutMs, options.signal)) as Answer<Name>;
      } catch (error) {
        const delay = failures < maxRetries ? retryDelay(error, failures) : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, options.signal);
      }
    }
  }

  async #attempt(
    url: string,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, MAX_TIMER_MS));
    try {
      const response = await this.#settings.fetch(url, { ...init, signal: controller.signal });
      const text = await response.text();
      return readResponse(response, text);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NoAnswer) throw error.reason;
      throw controller.signal.aborted
        ? new ConnectionError(`no answer within ${timeoutMs} ms from ${this.#settings.baseURL}`, {
            code: 'timeout',
            cause: error,
          })
        : new ConnectionError(`no connection to ${this.#settings.baseURL}${causeOf(error)}`, {
            code: 'no_connection',
            cause: error,
          });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #url(name: OperationName, { params, query }: RequestParts): string {
    const operation: Operation = contract[name];
    const path = operation.path.replace(/:(\w+)/g, (_, part: string) =>
      pathSegment(part, params?.[part]),
    );
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query ?? {})) {
      if (value === undefined) continue;
      for (const one of typeof value === 'object' ? value : [value])
        search.append(key, String(one));
    }
    const text = search.toString();
    return `${this.#settings.baseURL}${path}${text === '' ? '' : `?${text}`}`;
  }

  #headers({ options, body }: RequestParts): Record<string, string> {
    const result: Record<string, string> = {};
    for (const [key, value] of Object.entries(this.#settings.headers)) {
      result[key.toLowerCase()] = value;
    }
    result['accept'] = 'application/json';
    result['authorization'] = `Bearer ${this.#settings.credential}`;
    result['user-agent'] ??= `rewind-sdk/${version}`;
    if (body) result['content-type'] = 'application/json';
    if (this.#namespace !== undefined) {
      result[headerNames.namespace] = encodeURIComponent(this.#namespace);
    }
    if (options?.idempotencyKey !== undefined) {
      result[headerNames.idempotencyKey] = idempotencyKey(options.idempotencyKey);
    }
    return result;
  }
}

/** Carries an error past the catch that takes everything else for a broken connection. */
class NoAnswer extends Error {
  constructor(readonly reason: Error) {
    super();
  }
}

function readResponse(response: Response, text: string): unknown {
  const requestId = response.headers.get(headerNames.requestId) ?? undefined;
  const { status } = response;
  if (status < 200 || status >= 300) {
    const retryAfter = retryAfterSeconds(response.headers.get('retry-after'));
    throw new NoAnswer(errorFromResponse({ status, body: text, requestId, retryAfter }));
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // told below
  }
  throw new NoAnswer(
    new ServerError('the answer is no JSON object: is baseURL the address of a Rewind server?', {
      code: 'invalid_response',
      status,
      requestId,
    }),
  );
}

/** Seconds, or a date; both from the header as a proxy or a server may send it. */
function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Milliseconds until the next try, or `undefined` where a repeat would not help. */
function retryDelay(error: unknown, failures: number): number | undefined {
  if (RateLimitError.isInstance(error)) {
    const ms = error.retryAfter * 1000;
    return ms <= MAX_RETRY_AFTER_MS ? ms : undefined;
  }
  if (!isTransient(error)) return undefined;
  return backoffMs(failures, RETRY);
}

/** `true` for failures that pass by themselves. */
export function isTransient(error: unknown): boolean {
  return (
    ConnectionError.isInstance(error) ||
    RateLimitError.isInstance(error) ||
    (ServerError.isInstance(error) && (error.status ?? 0) >= 500)
  );
}

/** What the system says, such as `ECONNREFUSED`; `fetch` itself says only "fetch failed". */
function causeOf(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown; message?: unknown } }).cause;
  const text = cause?.code ?? cause?.message;
  return typeof text === 'string' ? ` (${text})` : '';
}

function encodeBody(body: Record<string, unknown>): string {
  const fields = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const { text } = jsonArgument(value, name, limits.bodyBytes);
      return `${JSON.stringify(name)}:${text}`;
    });
  return `{${fields.join(',')}}`;
}

/** An id as one part of a path. A URL would swallow `.` and `..`, also when they are encoded. */
function pathSegment(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw invalid(name, `must be the ${name} of something, as a text`);
  }
  return encodeURIComponent(id);
}

function idempotencyKey(key: string): string {
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyLength) {
    throw invalid(
      'idempotencyKey',
      `must be 1 to ${limits.idempotencyKeyLength} printable ASCII characters`,
    );
  }
  return key;
}
