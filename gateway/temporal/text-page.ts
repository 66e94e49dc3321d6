import type { TextPage } from '../../sdk/protocol';
import type { TextRange } from '../engine';

/** A page never ends inside a character, and never has more lines than this. */
const PAGE_LINES = 32_768;

/** Bytes `offset` to at most `offset + limit` of the text, cut between characters. */
export function textPage(text: string, { offset, limit }: TextRange): TextPage {
  const bytes = Buffer.from(text, 'utf8');
  const start = boundary(bytes, Math.min(offset, bytes.length));
  let end = boundary(bytes, Math.min(start + limit, bytes.length));
  // A limit smaller than the next character must not stand still.
  if (end === start && start < bytes.length) end = nextBoundary(bytes, start);
  end = afterLines(bytes, start, end);
  return {
    text: bytes.toString('utf8', start, end),
    offset: start,
    ...(end < bytes.length ? { nextOffset: end } : {}),
    total: bytes.length,
  };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function boundary(bytes: Buffer, at: number): number {
  let index = at;
  while (index > 0 && index < bytes.length && isContinuation(bytes[index])) index -= 1;
  return index;
}

function nextBoundary(bytes: Buffer, at: number): number {
  let index = at + 1;
  while (isContinuation(bytes[index])) index += 1;
  return index;
}

function afterLines(bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (let lines = 0; lines < PAGE_LINES; lines += 1) {
    const newline = bytes.indexOf(10, at);
    if (newline < 0 || newline >= end) return end;
    at = newline + 1;
  }
  return at;
}
