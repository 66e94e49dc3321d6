import ts from 'typescript';

/**
 * The engine keeps its place only where it calls something: a loop without a call, stopped for want
 * of fuel, would name no line. Such a loop gets one call, which costs next to nothing.
 */
export const markLoops: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context;
  const mark = (loop: ts.IterationStatement): ts.Statement => {
    const method = factory.createPropertyAccessExpression(
      factory.createParenthesizedExpression(factory.createNumericLiteral(0)),
      'valueOf',
    );
    const call = factory.createCallExpression(method, undefined, []);
    const statement = factory.createExpressionStatement(call);
    for (const node of [method.name, method, call, statement]) {
      ts.setSourceMapRange(node, { pos: loop.getStart(file), end: loop.end });
    }
    return statement;
  };
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (!ts.isIterationStatement(node, false) || callsSomething(node)) return visited;
    const loop = visited as ts.IterationStatement;
    const body = factory.createBlock([mark(node), loop.statement], true);
    return withBody(factory, loop, body);
  };
  return ts.visitNode(file, visit, ts.isSourceFile);
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
