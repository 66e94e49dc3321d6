/** Anything but printable characters, tabs and line breaks. */
const unprintable = /[^\P{C}\t\r\n]/u;

/** `true` for an output that is read as text; everything else is read as JSON. */
export function isPlainText(output: unknown): output is string {
  return typeof output === 'string' && !unprintable.test(output);
}

/** An output as people and models read it: plain text as it is, everything else as compact JSON. */
export function renderOutput(output: unknown): string {
  return isPlainText(output) ? output : (JSON.stringify(output) ?? 'null');
}
