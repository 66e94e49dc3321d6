import { utf8Bytes } from '../../protocol/json';
import { visibleJson } from './escape';

const LITERAL_BYTES = 300;

/**
 * A value as a JSON literal of at most 300 bytes, for one of our own lines. Long values are shortened
 * inside, so that the literal stays whole.
 */
export function literal(value: unknown): string {
  for (const [characters, entries, depth] of [
    [80, 5, 8],
    [40, 5, 4],
    [20, 3, 3],
    [10, 2, 2],
  ] as const) {
    const text = visibleJson(
      JSON.stringify(shortened(value, characters, entries, depth)) ?? 'null',
    );
    if (utf8Bytes(text) <= LITERAL_BYTES) return text;
  }
  return Array.isArray(value) ? '["…"]' : typeof value === 'object' ? '{"…":"…"}' : '"…"';
}

function shortened(value: unknown, characters: number, entries: number, depth: number): unknown {
  if (typeof value === 'string') return clip(value, characters);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  const inner = (part: unknown) => shortened(part, characters, entries, depth - 1);
  if (Array.isArray(value)) {
    const more = value.length - entries;
    return [...value.slice(0, entries).map(inner), ...(more > 0 ? [`… ${more} more`] : [])];
  }
  const pairs = Object.entries(value);
  const more = pairs.length - entries;
  const shown = pairs.slice(0, entries).map(([key, part]) => [clip(key, characters), inner(part)]);
  return Object.fromEntries(more > 0 ? [...shown, ['…', `${more} more`]] : shown);
}

function clip(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
}

/** The next call to make, ready to copy. */
export function nextCall(tool: string, input: Record<string, unknown>): string {
  return `${tool} ${visibleJson(JSON.stringify(input))}`;
}
