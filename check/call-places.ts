import ts from 'typescript';

/**
 * The engine's place of `crm.find(…)` is that of `find`; people and models look for it where the
 * name of the tool begins. Longer chains keep their place: they may go over many lines.
 */
export const markCalls: ts.TransformerFactory<ts.SourceFile> = () => (file) => {
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node)) return;
    const { expression } = node;
    if (!ts.isPropertyAccessExpression(expression) || !isName(expression)) return;
    const pos = expression.getStart(file);
    ts.setSourceMapRange(expression.name, { pos, end: expression.end });
  };
  visit(file);
  return file;
};

/** `a`, `a.b`, `a.b.c`. */
function isName(node: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(node)
    ? !node.questionDotToken && isName(node.expression)
    : ts.isIdentifier(node);
}
