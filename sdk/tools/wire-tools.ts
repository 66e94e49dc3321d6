import type { ToolSpec } from '../protocol/toolset';
import { invalid } from '../client/options';
import type { ToolDeclaration } from './declaration';
import { toJsonSchema } from './json-schema';

/** Declarations as they go over the wire: schemas as JSON Schema, handlers left out. */
export function wireTools(tools: Record<string, ToolDeclaration>): Record<string, ToolSpec> {
  if (typeof tools !== 'object' || tools === null) {
    throw invalid('tools', 'must be an object of declarations by tool name');
  }
  const entries = Object.entries(tools).map(([name, declaration]) => {
    const where = `tools[${JSON.stringify(name)}]`;
    if (typeof declaration !== 'object' || declaration === null) {
      throw invalid(where, 'must be a declaration: description, input, …');
    }
    const { description, policy, approval, lease, timeout } = declaration;
    const spec: ToolSpec = {
      description,
      input: toJsonSchema(declaration.input, 'input', `${where}.input`),
    };
    if (declaration.output !== undefined) {
      spec.output = toJsonSchema(declaration.output, 'output', `${where}.output`);
    }
    if (policy !== undefined) spec.policy = policy;
    if (approval !== undefined) spec.approval = approval;
    if (lease !== undefined) spec.lease = lease;
    if (timeout !== undefined) spec.timeout = timeout;
    return [name, spec] as const;
  });
  return Object.fromEntries(entries);
}
