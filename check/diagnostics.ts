import type { Diagnostic } from '../sdk/protocol';
import { codeFrame } from './code-frame';
import { hintFor } from './hints';
import type { SourceText } from './source-text';
import type { Problem } from './syntax';
import { toolDeclaration } from './tool-types';
import type { CheckScope } from './types';

/** More problems than these help nobody. */
const SHOWN = 10;
const MESSAGE = 4096;

/** Problems as the caller sees them, first in the text first. */
export function diagnosticsOf(
  problems: Problem[],
  sent: SourceText,
  scope: CheckScope,
): Diagnostic[] {
  return [...problems]
    .sort((a, b) => a.start - b.start)
    .slice(0, SHOWN)
    .map((problem) => diagnosticOf(problem, sent, scope));
}

function diagnosticOf(problem: Problem, sent: SourceText, scope: CheckScope): Diagnostic {
  const { line, column } = sent.place(problem.start);
  const last = sent.place(problem.start + problem.length);
  const endColumn = last.line === line ? last.column : undefined;
  const text = sent.text.slice(problem.start, problem.start + problem.length);
  const hint = hintFor(problem.code, /^[\w$]+/.exec(text)?.[0]);
  const declared = declaredOn(lineText(sent.text, problem.start), scope);
  return {
    line,
    column,
    code: problem.code,
    message:
      problem.message.length > MESSAGE ? `${problem.message.slice(0, MESSAGE)}…` : problem.message,
    frame: codeFrame(sent.text, line, column, endColumn),
    ...(hint === undefined ? {} : { hint }),
    ...(declared === undefined ? {} : { declared }),
  };
}

function lineText(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end < 0 ? text.length : end);
}

/** The declaration of the tool that the line calls. */
function declaredOn(line: string, scope: CheckScope): string | undefined {
  for (const match of line.matchAll(
    /tools\[\s*["']([^"']+)["']\s*\]|[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*/g,
  )) {
    const name = match[1] ?? match[0].replace(/\s/g, '');
    const spec = Object.hasOwn(scope.tools, name) ? scope.tools[name] : undefined;
    if (spec) return toolDeclaration(name, spec);
  }
  return undefined;
}
