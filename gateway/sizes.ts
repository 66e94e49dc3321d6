import { utf8Bytes } from '../sdk/protocol';
import { tooLarge } from './errors';

/** The value as JSON text. Fails where it is over the limit. */
export function jsonWithin(value: unknown, what: string, limit: number, field: string): string {
  const text = JSON.stringify(value);
  textWithin(text, what, limit, field);
  return text;
}

/** Fails where the text has more bytes of UTF-8 than the limit. */
export function textWithin(text: string, what: string, limit: number, field: string): void {
  const size = utf8Bytes(text);
  if (size > limit) throw tooLarge(what, size, limit, { field });
}

/** As much of the text as fits, never ending inside a character. */
export function cutText(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= limit) return text;
  let end = limit - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
