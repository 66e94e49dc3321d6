import ts from 'typescript';
import type { Problem } from './syntax';

/** The name of the one module that scripts have. */
export const MODULE = 'rewind';

/** What the language of scripts does not have, though TypeScript would take it. */
export function ruleProblems(file: ts.SourceFile): Problem[] {
  const problems: Problem[] = [];
  const refuse = (node: ts.Node, code: string, message: string) =>
    problems.push({ start: node.getStart(file), length: node.getWidth(file), code, message });

  const visit = (node: ts.Node): void => {
    if (ts.isBigIntLiteral(node)) {
      refuse(node, 'RW1002', 'BigInt is not available in scripts');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      refuse(node, 'RW1003', 'scripts cannot load modules');
    } else if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) {
      refuse(node, 'RW1003', 'import.meta is not available in scripts');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);

  const returned = topLevelReturn(file);
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { moduleSpecifier } = statement;
      if (!ts.isStringLiteral(moduleSpecifier) || moduleSpecifier.text !== MODULE) {
        refuse(moduleSpecifier, 'RW1003', `scripts can import from "${MODULE}" only`);
      }
    } else if (ts.isImportEqualsDeclaration(statement)) {
      refuse(statement, 'RW1003', `scripts can import from "${MODULE}" only`);
    } else if (ts.isExportDeclaration(statement)) {
      refuse(statement, 'RW1005', 'a script exports its default and nothing else');
    } else if (isDefaultExport(statement) && returned) {
      refuse(
        statement,
        'RW1001',
        'a script gives its output by return or by export default, not by both',
      );
    }
  }
  return problems;
}

/** `export default …`, of a value or of a declaration. */
export function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  return modifiersOf(statement).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
}

export function modifiersOf(statement: ts.Statement): readonly ts.ModifierLike[] {
  return (ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined) ?? [];
}

function topLevelReturn(file: ts.SourceFile): ts.Node | undefined {
  const find = (node: ts.Node): ts.Node | undefined => {
    if (ts.isReturnStatement(node)) return node;
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return undefined;
    return ts.forEachChild(node, find);
  };
  return find(file);
}
