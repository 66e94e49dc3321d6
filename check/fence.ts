/** The part of a text that is the script: all of it, or what stands inside its one Markdown fence. */
export interface ScriptRange {
  start: number;
  end: number;
}

const fenceLine = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*\r?$/gm;

/**
 * Models like to send scripts inside a fence, with a sentence before it. `undefined` where the text
 * has no such fence: exactly one that opens and one that closes.
 */
export function fencedScript(text: string): ScriptRange | undefined {
  const fences = [...text.matchAll(fenceLine)];
  const [open, close] = fences;
  if (!open || !close || fences.length !== 2 || close[2]) return undefined;
  const newline = text.indexOf('\n', open.index);
  return newline < 0 ? undefined : { start: newline + 1, end: close.index };
}
