/** What the threads of the checker run. Each keeps its own parsed library and recent declarations. */
import type ts from 'typescript';
import type { ToolSpec } from '../sdk/protocol';
import { diagnosticsOf } from './diagnostics';
import { emitScript } from './emit';
import { parseDeclarations } from './library';
import { ruleProblems } from './rules';
import { SourceText } from './source-text';
import { parseScript } from './syntax';
import { nameProblems } from './tool-names';
import { schemaProblem } from './tool-schemas';
import { readableDeclarations, scopeDeclarations } from './tool-types';
import { TypeChecker } from './type-check';
import type { CheckOutcome, CheckScope, ToolProblem } from './types';
import { wrapScript } from './wrap';

const SCOPES_KEPT = 20;
const scopes = new Map<string, ts.SourceFile>();
let checker: TypeChecker | undefined;

export function check({ script, scope }: { script: string; scope: CheckScope }): CheckOutcome {
  const sent = new SourceText(script);
  const parsed = parseScript(script);
  if ('problems' in parsed) return refused(parsed.problems, sent, scope);
  const ruled = ruleProblems(parsed.file).map((problem) => ({
    ...problem,
    start: problem.start + parsed.range.start,
  }));
  if (ruled.length > 0) return refused(ruled, sent, scope);
  const wrapped = wrapScript(parsed);
  checker ??= new TypeChecker();
  const problems = checker.check(wrapped, declarationsOf(scope));
  if (problems.length > 0) return refused(problems, sent, scope);
  return { ok: true, script: emitScript(wrapped, sent), tools: Object.keys(scope.tools) };
}

export function checkTools({ tools }: { tools: Record<string, ToolSpec> }): ToolProblem[] {
  const problems = nameProblems(Object.keys(tools));
  for (const [tool, { input, output }] of Object.entries(tools)) {
    const found = schemaProblem(input, 'object');
    if (found)
      problems.push({ tool, path: `/input${found.path.slice(1)}`, message: found.message });
    const other = output && schemaProblem(output, 'any');
    if (other)
      problems.push({ tool, path: `/output${other.path.slice(1)}`, message: other.message });
  }
  return problems;
}

export function declarations({ scope, names }: { scope: CheckScope; names?: string[] }): string {
  return readableDeclarations(scope, names);
}

function refused(
  problems: Parameters<typeof diagnosticsOf>[0],
  sent: SourceText,
  scope: CheckScope,
): CheckOutcome {
  return { ok: false, diagnostics: diagnosticsOf(problems, sent, scope) };
}

function declarationsOf(scope: CheckScope): ts.SourceFile {
  const kept = scopes.get(scope.id);
  if (kept) return kept;
  const file = parseDeclarations('/tools.d.ts', scopeDeclarations(scope));
  scopes.set(scope.id, file);
  const oldest = scopes.keys().next().value;
  if (scopes.size > SCOPES_KEPT && oldest !== undefined) scopes.delete(oldest);
  return file;
}
