import { parseDuration } from '../protocol/duration';
import { utf8Bytes } from '../protocol/json';
import { limits } from '../protocol/limits';
import { describeThrown } from '../errors/describe';
import { HostToolError } from '../errors/host-tool-error';
import { JsonText, JsonTooLargeError, writeJson } from '../json/write';

/** Body of a failed answer, without the token. */
export interface Failure {
  message: string;
  data?: JsonText;
  retryable?: boolean;
  retryAfterMs?: number;
}

/** How a call ended, ready to be sent; `problems` go to `onError`. */
export type Outcome = ({ result: JsonText } | { error: Failure }) & { problems: unknown[] };

/** Of a handler that returned. A result that JSON cannot hold fails the call, with its path. */
export function outcomeOfResult(value: unknown): Outcome {
  try {
    const text = writeJson(value, 'result', limits.resultBytes);
    return { result: new JsonText(text), problems: [] };
  } catch (error) {
    return failure(describeJsonProblem(error), [error]);
  }
}

/** Of a handler that threw. A HostToolError is the tool's own failure and no problem to report. */
export function outcomeOfThrown(thrown: unknown): Outcome {
  if (!HostToolError.isInstance(thrown)) return failure(describeThrown(thrown), [thrown]);
  const problems: unknown[] = [];
  const error: Failure = { message: 'the tool failed' };
  try {
    // A copy of another version may have other fields: read with care.
    error.message = cut(String(thrown.message), limits.errorMessageBytes);
    if (thrown.retryable === true) error.retryable = true;
    const ms = parseDuration(thrown.retryAfter);
    if (ms !== undefined) error.retryAfterMs = Math.min(ms, MAX_RETRY_AFTER_MS);
    if (thrown.data !== undefined) {
      error.data = new JsonText(writeJson(thrown.data, 'data', limits.errorDataBytes));
    }
  } catch (problem) {
    problems.push(problem);
  }
  return { error, problems };
}

/** Of a call whose input or result the tool's own schema refuses. */
export function failureOf(message: string, data?: unknown): Outcome {
  const outcome = failure(message, []);
  if (data !== undefined && 'error' in outcome) {
    outcome.error.data = new JsonText(writeJson(data, 'data', limits.errorDataBytes));
  }
  return outcome;
}

const MAX_RETRY_AFTER_MS = 86_400_000;

function failure(message: string, problems: unknown[]): Outcome {
  return { error: { message: cut(message, limits.errorMessageBytes) }, problems };
}

function describeJsonProblem(error: unknown): string {
  return error instanceof JsonTooLargeError
    ? `RangeError: ${error.message}`
    : describeThrown(error);
}

/** At most so many bytes of UTF-8, never half a character. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - 3));
  if (read === text.length || utf8Bytes(text.slice(0, bytes + 1)) <= bytes) return text;
  return `${text.slice(0, read)}…`;
}
