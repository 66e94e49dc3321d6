import ts from 'typescript';

/**
 * A loop that is stopped for want of fuel is stopped where it turns, and then its place is the last
 * one before the loop; or inside, where it calls something. So each loop gets a call before it, and
 * one inside where it has none. They cost next to nothing.
 */
export const markLoops: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context;
  const mark = (place: ts.Node): ts.Statement => {
    const method = factory.createPropertyAccessExpression(
      factory.createParenthesizedExpression(factory.createNumericLiteral(0)),
      'valueOf',
    );
    const call = factory.createCallExpression(method, undefined, []);
    const statement = factory.createExpressionStatement(call);
    for (const node of [method.name, method, call, statement]) {
      ts.setSourceMapRange(node, { pos: place.getStart(file), end: place.end });
    }
    return statement;
  };
  const markInside = (node: ts.IterationStatement): ts.IterationStatement => {
    const loop = ts.visitEachChild(node, visit, context);
    if (callsSomething(node)) return loop;
    return withBody(factory, loop, factory.createBlock([mark(node), loop.statement], true));
  };
  const visit = (node: ts.Node): ts.VisitResult<ts.Node> => {
    if (ts.isIterationStatement(node, false)) return [mark(node), markInside(node)];
    // Nothing may come between a label and its loop.
    if (ts.isLabeledStatement(node) && ts.isIterationStatement(node.statement, false)) {
      const loop = markInside(node.statement);
      return [mark(node.statement), factory.updateLabeledStatement(node, node.label, loop)];
    }
    return ts.visitEachChild(node, visit, context);
  };
  return ts.visitEachChild(file, visit, context);
};

/** Whether the loop calls something in its own turns. */
function callsSomething(loop: ts.IterationStatement): boolean {
  const find = (node: ts.Node): boolean =>
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    (!ts.isFunctionLike(node) && (ts.forEachChild(node, find) ?? false));
  return ts.forEachChild(loop, find) ?? false;
}

function withBody(
  factory: ts.NodeFactory,
  loop: ts.IterationStatement,
  body: ts.Statement,
): ts.IterationStatement {
  if (ts.isForStatement(loop)) {
    return factory.updateForStatement(
      loop,
      loop.initializer,
      loop.condition,
      loop.incrementor,
      body,
    );
  }
  if (ts.isWhileStatement(loop)) return factory.updateWhileStatement(loop, loop.expression, body);
  if (ts.isDoStatement(loop)) return factory.updateDoStatement(loop, body, loop.expression);
  if (ts.isForInStatement(loop)) {
    return factory.updateForInStatement(loop, loop.initializer, loop.expression, body);
  }
  if (ts.isForOfStatement(loop)) {
    return factory.updateForOfStatement(
      loop,
      loop.awaitModifier,
      loop.initializer,
      loop.expression,
      body,
    );
  }
  return loop;
}
