import type { Toolset } from '../../client/toolsets';
import { utf8Bytes } from '../../protocol/json';
import { headOf, quoted, toolText, visible } from './escape';

/** Declarations of one result. */
export const DECLARATION_BYTES = 32 * 1024;

/** Declarations after `| `, cut at a line; what is cut is told, with the call that reads it. */
export function declarationLines(declarations: string, next: string): string[] {
  const { text, cut } = wholeLines(declarations, DECLARATION_BYTES);
  const lines = quoted(text);
  return cut
    ? [...lines, `(cut, ${utf8Bytes(declarations)} bytes in all). Name fewer: ${next}`]
    : lines;
}

/** As many whole lines as fit. */
export function wholeLines(text: string, bytes: number): { text: string; cut: boolean } {
  const head = headOf(text, bytes);
  if (head.length === text.length) return { text, cut: false };
  const end = head.lastIndexOf('\n');
  return { text: end < 0 ? head : head.slice(0, end), cut: true };
}

/** One line for each tool, while they fit. */
export function nameLines(toolset: Toolset, names: readonly string[]): string[] {
  const lines: string[] = [];
  let left = DECLARATION_BYTES;
  for (const name of names) {
    const [first = ''] = (toolset.tools[name]?.description ?? '').split('\n');
    const short = first.length > 100 ? `${first.slice(0, 100).toWellFormed()}…` : first;
    const line = `| ${toolText(name)}: ${visible(short)}`;
    left -= utf8Bytes(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const more = names.length - lines.length;
  const rest = more > 0 ? `${more} more. By words: describe_tools {"query":"<words>"}. ` : '';
  return [
    ...lines,
    `${rest}Declarations: describe_tools {"names":["<a name, or its first part>"]}`,
  ];
}
