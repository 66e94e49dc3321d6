import { createHash } from 'node:crypto';
import type { Labels } from '../../sdk/protocol';
import type { WorkerGroup } from '../../store/types';

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** So many lower-case hexadecimal digits of a SHA-256. */
export function digest(value: unknown, length: number): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, length);
}

/** A keyed start always leads to the same run: one end user, one set of labels, one key. */
export function runIdOf(namespace: string, labels: Labels, key: string): string {
  return `run_${digest(['run', namespace, labels, key], 26)}`;
}

/** Short, since an index value is at most 255 characters; comparison is exact, on the memo. */
export function labelHash(key: string, value: string): string {
  return digest(['label', key, value], 16);
}

/** Readable in Temporal's UI where that is safe in a query, else a hash. */
export function namespaceIndex(namespace: string): string {
  return /^[\w.@:+-]{1,100}$/.test(namespace) ? namespace : `h:${digest(namespace, 40)}`;
}

/** What some workers accept, under an id made of just that. */
export function groupOf(accepted: Omit<WorkerGroup, 'id'>): WorkerGroup {
  const tools = [...new Set(accepted.tools)].sort();
  const group = { ...accepted, tools };
  return { ...group, id: digest(['group', group], 20) };
}
