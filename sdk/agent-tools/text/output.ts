import { utf8Bytes } from '../../protocol/json';
import { isPlainText, renderOutput } from '../../protocol/rendering';
import { headOf, quoted, visibleJson } from './escape';
import { nextCall } from './values';

const PAGE_LINES = 32_768;
/** Marks before lines and escapes included. */
const SHOWN_BYTES = 336 * 1024;

/** A part of a long text in one result. */
export interface Part {
  text: string;
  offset: number;
  end: number;
  total: number;
}

/** From byte `offset` on, at most `limit` bytes and 32,768 lines, never inside a character. */
export function partOf(text: string, offset: number, limit: number): Part {
  const total = utf8Bytes(text);
  const start = skip(text, offset);
  const rest = text.slice(start.index);
  let part = lines(headOf(rest, limit), PAGE_LINES);
  // A limit below the next character must not stand still.
  if (part === '' && rest !== '') part = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return { text: part, offset: start.byte, end: start.byte + utf8Bytes(part), total };
}

/** The place of the character that holds byte `offset`. */
function skip(text: string, offset: number): { index: number; byte: number } {
  const head = headOf(text, offset);
  return { index: head.length, byte: utf8Bytes(head) };
}

function lines(text: string, most: number): string {
  let at = 0;
  for (let seen = 0; seen < most; seen += 1) {
    const newline = text.indexOf('\n', at);
    if (newline < 0) return text;
    at = newline + 1;
  }
  return text.slice(0, at);
}

/** The output, or the part of it from `offset`, with the call that reads on. */
export function outputLines(
  output: unknown,
  run: string | undefined,
  offset: number,
  limit: number,
): string[] {
  const kind = isPlainText(output) ? 'text' : 'JSON';
  // In JSON, what is hidden is escaped as JSON does it, so that the parts join to JSON of the same value.
  const show = (text: string) => (kind === 'JSON' ? [`| ${visibleJson(text)}`] : quoted(text));
  return partLines({
    title: 'Output',
    kind: `${kind}, `,
    read: (from, most) => partOf(renderOutput(output), from, most),
    show,
    offset,
    limit,
    ...(run !== undefined && {
      next: (at: number) => nextCall('get_run', { run_id: run, offset: at }),
    }),
  });
}

interface PartText {
  title: string;
  kind: string;
  read: (offset: number, limit: number) => Part;
  show: (text: string) => string[];
  offset: number;
  limit: number;
  next?: (offset: number) => string;
}

/** A part under its headline. Where escapes make it too long to be shown, less of it is shown. */
export function partLines({ title, kind, read, show, offset, limit, next }: PartText): string[] {
  let most = limit;
  let part = read(offset, most);
  let shown = show(part.text);
  while (sizeOf(shown) > SHOWN_BYTES && most > 4) {
    most = Math.floor(most / 2);
    part = read(offset, most);
    shown = show(part.text);
  }
  const whole = part.offset === 0 && part.end === part.total;
  if (whole) {
    const head = `${title} (${kind}${part.total} bytes)`;
    return part.total === 0 ? [`${head}: empty`] : [`${head}:`, ...shown];
  }
  const range = `bytes ${part.offset} to ${part.end} of ${part.total}`;
  if (part.end < part.total) {
    const more = next ? `. Next part: ${next(part.end)}` : ', cut';
    return [`${title} (${kind}${range})${more}`, ...shown];
  }
  const end = `${title} (${kind}${range}, the end)`;
  return part.text === '' ? [end] : [end, ...shown];
}

function sizeOf(shown: string[]): number {
  return shown.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0);
}
