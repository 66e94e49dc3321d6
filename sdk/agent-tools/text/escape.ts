import { utf8Bytes } from '../../protocol/json';

/**
 * Control, format (bidirectional among them), line-separator, private and unassigned characters. A
 * terminal or a tokenizer may take them for something that they are not.
 */
const hidden = /[\p{C}\u2028\u2029]/u;
const allHidden = /[\p{C}\u2028\u2029]/gu;

/** Foreign text on one line of its own, visible throughout; a tab stays one. */
export function visible(text: string): string {
  if (!hidden.test(text)) return text;
  return text
    .toWellFormed()
    .replace(allHidden, (char) =>
      char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
    );
}

/** A JSON literal in which nothing is hidden, for one of our own lines. */
export function visibleJson(json: string): string {
  return json
    .toWellFormed()
    .replace(allHidden, (char) =>
      [...Array(char.length).keys()]
        .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}

/** Foreign text as lines of ours that begin with `| `. Only `\n` ends a line, so that lines join exactly. */
export function quoted(text: string): string[] {
  return text.split('\n').map((line) => `| ${visible(line)}`);
}

const encoder = new TextEncoder();

/** The longest beginning of a text within so many bytes, never inside a character. */
export function headOf(text: string, bytes: number): string {
  // No character of UTF-16 takes more than three.
  if (text.length * 3 <= bytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.min(bytes, text.length * 3)));
  return text.slice(0, read);
}

/** Foreign text after `| `, cut where what is shown would be longer than this; what is cut is told. */
export function quotedWithin(text: string, bytes: number): string[] {
  const head = headOf(text, bytes);
  let cut = head.length < text.length;
  let left = bytes;
  const lines: string[] = [];
  for (const line of quoted(head)) {
    const shown = headOf(line, Math.max(left, 2));
    lines.push(shown);
    left -= utf8Bytes(shown) + 1;
    cut ||= shown.length < line.length;
    if (left <= 0 || shown.length < line.length) break;
  }
  cut ||= lines.length < head.split('\n').length;
  return cut ? [...lines, `(cut, ${utf8Bytes(text)} bytes in all)`] : lines;
}

/** A code frame as the server drew it: no line of it may begin at column 0 with anything but a blank or `>`. */
export function frameLines(frame: string): string[] {
  return frame
    .split('\n')
    .slice(0, 7)
    .map((line) => headOf(visible(line), 1_000))
    .map((line) => (/^[ >]/.test(line) ? line : ` ${line}`));
}

const bare = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : literalOf(text));

/** Printed as they are where they fit their pattern, else as a JSON literal. */
export const runIdText = bare(/^run_[0-9a-z]{8,58}$/);
export const toolText = bare(/^[A-Za-z0-9_.-]{1,128}$/);
export const className = bare(/^[A-Za-z_$][\w$]{0,63}$/);
export const word = bare(/^[a-z][a-z0-9_]{0,63}$/);
export const timeText = bare(/^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$/);
export const diagnosticCode = bare(/^[A-Z]{2}\d{1,6}$/);

function literalOf(text: string): string {
  const head = headOf(text, 200);
  return visibleJson(JSON.stringify(head.length < text.length ? `${head}…` : head));
}

/** A short foreign text as a JSON literal. */
export const textLiteral = literalOf;
