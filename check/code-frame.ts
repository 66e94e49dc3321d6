import { codeFrameColumns } from '@babel/code-frame';

const LINE = 200;

/**
 * The lines around a place: two before, two after, the place marked. Lines and columns are from 1.
 * Control and bidirectional characters are shown as `\u{…}`, so that a frame is what it looks like.
 */
export function codeFrame(text: string, line: number, column: number, endColumn?: number): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|[\n\r\u2028\u2029]/);
  const first = Math.max(line - 3, 0);
  const shown = lines
    .slice(0, line + 2)
    .map((content, index) => (index < first ? '' : clip(content)));
  const marked = lines[line - 1] ?? '';
  const start = Math.min(column, marked.length + 1);
  const end = Math.min(endColumn ?? column + 1, marked.length + 1);
  const at = (index: number) => visible(marked.slice(0, Math.min(index, LINE) - 1)).length + 1;
  return codeFrameColumns(
    shown.join('\n'),
    { start: { line, column: at(start) }, end: { line, column: Math.max(at(end), at(start) + 1) } },
    { linesAbove: 2, linesBelow: 2, highlightCode: false },
  )
    .split('\n')
    .map((row) => row.trimEnd())
    .join('\n');
}

function clip(content: string): string {
  return visible(content.length > LINE ? `${content.slice(0, LINE)}…` : content);
}

/** Tabs become one blank, so that the mark stands below what it marks. */
function visible(content: string): string {
  return content
    .toWellFormed()
    .replace(/\t/g, ' ')
    .replace(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`,
    );
}
