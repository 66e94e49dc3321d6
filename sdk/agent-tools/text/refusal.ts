import type { Diagnostic } from '../../protocol/error-codes';
import { count } from './amounts';
import { diagnosticCode, frameLines, quotedWithin } from './escape';

const MOST = 10;
const MESSAGE_BYTES = 2 * 1024;

/** Why the type-checker refused a script. */
export function refusalText(diagnostics: readonly Diagnostic[], tool: string): string {
  const what =
    tool === 'save_workflow'
      ? ', nothing was saved'
      : tool === 'check_script'
        ? ''
        : ', nothing was run';
  const shown = diagnostics.slice(0, MOST);
  const more = diagnostics.length - shown.length;
  return [
    `Refused: ${count(diagnostics.length, 'problem')}${what}`,
    ...shown.flatMap(problem),
    ...(more > 0 ? [`${count(more, 'more problem')} not shown.`] : []),
    `Next: correct the script and call ${tool} again.`,
  ].join('\n');
}

function problem(diagnostic: Diagnostic, index: number): string[] {
  const { line, column, code, message, frame, hint, declared } = diagnostic;
  return [
    `Problem ${index + 1}: line ${line}, column ${column}, ${diagnosticCode(code)}`,
    ...quotedWithin(message, MESSAGE_BYTES),
    ...frameLines(frame),
    // A hint is the server's own sentence, and still takes no line of ours but this one.
    ...(hint === undefined
      ? []
      : quotedWithin(hint, MESSAGE_BYTES).map((row) => row.replace(/^\| /, 'Hint: '))),
    ...(declared === undefined ? [] : ['Declared:', ...quotedWithin(declared, MESSAGE_BYTES)]),
  ];
}
