import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { headers, limits, namespaceSchema } from '../sdk/protocol';
import { invalidRequest } from './errors';

/** The value as its schema gives it. Fails with the path of the first field that is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, whole: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw invalidRequest(`${whole} is not valid`);
  const { path, message } = explain(issue);
  throw path === ''
    ? invalidRequest(`${whole}: ${message}`)
    : invalidRequest(`${path}: ${message}`, path);
}

/** An issue in the words of the wire: field path and what is wrong with it. */
function explain(issue: z.core.$ZodIssue): { path: string; message: string } {
  if (issue.code === 'unrecognized_keys') {
    const path = fieldPath([...issue.path, issue.keys[0] ?? '']);
    return { path, message: 'is no field that is known here' };
  }
  if (issue.code === 'invalid_key' && issue.issues[0]) {
    return { path: fieldPath(issue.path), message: `the name ${issue.issues[0].message}` };
  }
  return { path: fieldPath(issue.path), message: issue.message };
}

function fieldPath(path: readonly PropertyKey[]): string {
  const text = path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`))
    .join('');
  // Names come from the caller and may be long.
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The one value of a header, or nothing. Repeated ones are refused: nobody could tell which holds. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name] ?? [];
  if (values.length > 1) throw invalidRequest(`${name}: the header came more than once`, name);
  return values[0];
}

/** The end user that the request names, or nothing. */
export function namespaceHeader(request: IncomingMessage): string | undefined {
  const text = singleHeader(request, headers.namespace);
  if (text === undefined) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw invalidRequest(`${headers.namespace}: is not percent-encoded UTF-8`, headers.namespace);
  }
  // eslint-disable-next-line no-control-regex -- beyond ASCII a header's meaning is anybody's guess
  if (/[^\u0000-\u007f]/.test(text)) {
    throw invalidRequest(`${headers.namespace}: must be percent-encoded`, headers.namespace);
  }
  const parsed = namespaceSchema.safeParse(decoded);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? 'is not valid';
  throw invalidRequest(`${headers.namespace}: ${message}`, headers.namespace);
}

/** The key by which a repeat of the request is known, or nothing. */
export function idempotencyHeader(request: IncomingMessage): string | undefined {
  const name = headers.idempotencyKey;
  const key = singleHeader(request, name);
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    throw invalidRequest(`${name}: must be printable ASCII, at least one character`, name);
  }
  if (key.length > limits.idempotencyKeyLength) {
    throw invalidRequest(`${name}: at most ${limits.idempotencyKeyLength} characters`, name);
  }
  return key;
}
