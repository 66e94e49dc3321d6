import ts from 'typescript';

/** Holds the last argument of a call for the moment before the call. */
const ARGUMENT = '__rewindArgument';

/**
 * The engine knows the place of the last name that it read, so that it takes a call for one of its
 * arguments, lines below. Every call therefore reads its last argument from a variable, which is
 * said to stand where the call does.
 */
export const markCalls: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context;
  const argument = (place: ts.TextRange): ts.Expression =>
    ts.setSourceMapRange(factory.createIdentifier(ARGUMENT), place);

  const throughVariable = (last: ts.Expression, place: ts.TextRange): ts.Expression => {
    if (ts.isSpreadElement(last)) {
      return factory.updateSpreadElement(last, throughVariable(last.expression, place));
    }
    // Assigned as it is, a function would be named after the variable.
    const value = isNamedByAssignment(last)
      ? factory.createComma(factory.createNumericLiteral(0), last)
      : last;
    const kept = factory.createAssignment(factory.createIdentifier(ARGUMENT), value);
    // Right behind the assignment the engine would spare itself the reading.
    const between = factory.createComma(kept, factory.createNumericLiteral(0));
    return factory.createParenthesizedExpression(factory.createComma(between, argument(place)));
  };
  const withPlace = (args: readonly ts.Expression[], place: ts.TextRange) => {
    const last = args.at(-1);
    if (!last || args.every(isLiteral)) return args;
    return [...args.slice(0, -1), throughVariable(last, place)];
  };

  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (ts.isCallExpression(node) && ts.isCallExpression(visited)) {
      const place = placeOf(node.expression, file);
      const { expression: callee, typeArguments } = visited;
      if (ts.isPropertyAccessExpression(callee)) ts.setSourceMapRange(callee.name, place);
      const args = withPlace(visited.arguments, place);
      return ts.isCallChain(visited)
        ? factory.updateCallChain(visited, callee, visited.questionDotToken, typeArguments, args)
        : factory.updateCallExpression(visited, callee, typeArguments, args);
    }
    if (ts.isNewExpression(node) && ts.isNewExpression(visited)) {
      const place = { pos: node.getStart(file), end: node.end };
      ts.setSourceMapRange(visited.expression, place);
      const args = visited.arguments && withPlace(visited.arguments, place);
      return factory.updateNewExpression(visited, visited.expression, visited.typeArguments, args);
    }
    return visited;
  };
  const { statements } = ts.visitEachChild(file, visit, context);
  const declared = factory.createVariableStatement(undefined, [
    factory.createVariableDeclaration(ARGUMENT),
  ]);
  return factory.updateSourceFile(file, [declared, ...statements]);
};

/** Where people look for a call: at the whole name of a tool, at the method of any other chain. */
function placeOf(callee: ts.Expression, file: ts.SourceFile): ts.TextRange {
  const longer = ts.isPropertyAccessExpression(callee) && !isName(callee);
  return { pos: (longer ? callee.name : callee).getStart(file), end: callee.end };
}

/** `a`, `a.b`, `a.b.c`. */
function isName(node: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(node)
    ? !node.questionDotToken && isName(node.expression)
    : ts.isIdentifier(node);
}

/** Reads no name, so that the engine's place stays what it is. */
function isLiteral(node: ts.Expression): boolean {
  return (
    ts.isLiteralExpression(node) ||
    node.kind === ts.SyntaxKind.TrueKeyword ||
    node.kind === ts.SyntaxKind.FalseKeyword ||
    node.kind === ts.SyntaxKind.NullKeyword
  );
}

function isNamedByAssignment(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isNamedByAssignment(node.expression);
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node);
}
