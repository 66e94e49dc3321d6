import ts from 'typescript';
import { fencedScript, type ScriptRange } from './fence';

/** A problem in the script, at an offset of the text that was sent. */
export interface Problem {
  start: number;
  length: number;
  code: string;
  message: string;
}

export interface ParsedScript {
  /** Offsets in it are offsets in the text that was sent, less `range.start`. */
  file: ts.SourceFile;
  range: ScriptRange;
}

/** Reads the script; one that stands in a Markdown fence is read without it. */
export function parseScript(text: string): ParsedScript | { problems: Problem[] } {
  const bom = text.startsWith('\uFEFF') ? 1 : 0;
  const whole: ScriptRange = { start: bom, end: text.length };
  const file = parse(text, whole);
  const problems = syntaxProblems(file, whole);
  if (problems.length === 0 && !callsTemplate(file)) return { file, range: whole };
  const fenced = fencedScript(text);
  if (!fenced) return problems.length === 0 ? { file, range: whole } : { problems };
  const inner = parse(text, fenced);
  const innerProblems = syntaxProblems(inner, fenced);
  return innerProblems.length === 0 ? { file: inner, range: fenced } : { problems: innerProblems };
}

/**
 * Whether a fence was read as code, which it is in TypeScript: an empty template, called with the
 * text between the fences, called with another empty one.
 */
function callsTemplate(node: ts.Node): boolean {
  if (ts.isTaggedTemplateExpression(node) && ts.isTemplateLiteral(node.tag)) return true;
  return ts.forEachChild(node, callsTemplate) ?? false;
}

function parse(text: string, { start, end }: ScriptRange): ts.SourceFile {
  return ts.createSourceFile(
    'script.ts',
    text.slice(start, end),
    {
      languageVersion: ts.ScriptTarget.ES2022,
      // A module in any case, so that a top-level await is one.
      setExternalModuleIndicator: (file) => {
        Object.assign(file, { externalModuleIndicator: true });
      },
    },
    true,
  );
}

function syntaxProblems(file: ts.SourceFile, { start }: ScriptRange): Problem[] {
  // Not in the public types, and the only place where a parse without a program keeps its errors.
  const { parseDiagnostics } = file as ts.SourceFile & {
    parseDiagnostics: ts.DiagnosticWithLocation[];
  };
  return parseDiagnostics.map((found) => ({
    start: start + found.start,
    length: found.length,
    code: `TS${found.code}`,
    message: ts.flattenDiagnosticMessageText(found.messageText, '\n'),
  }));
}
