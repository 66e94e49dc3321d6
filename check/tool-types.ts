import type { JsonSchema, ToolSpec } from '../sdk/protocol';
import { SchemaTypes, propertyName } from './schema-types';
import { isReachable } from './tool-names';
import type { CheckScope } from './types';

/** A tool's types; one whose types grow beyond this is `unknown` where it is too long. */
const TYPE_CHARACTERS = 400_000;

interface ToolType {
  name: string;
  description: string;
  /** `(input: { email: string }): Promise<any>` */
  signature: string;
  named: { name: string; type: string }[];
}

function toolType(
  name: string,
  spec: Pick<ToolSpec, 'description' | 'input' | 'output'>,
  kind: string,
): ToolType {
  const prefix = `${kind}_${name.replace(/\W/g, '_')}`;
  const input = typesOf(spec.input, `${prefix}_input`);
  const output = spec.output && typesOf(spec.output, `${prefix}_output`);
  const optional = acceptsNothing(spec.input) ? '?' : '';
  return {
    name,
    description: spec.description,
    signature: `(input${optional}: ${input.type}): Promise<${output?.type ?? 'any'}>`,
    named: [...input.named, ...(output?.named ?? [])],
  };
}

function typesOf(schema: JsonSchema, prefix: string): { type: string; named: ToolType['named'] } {
  const types = new SchemaTypes(schema, prefix);
  const type = types.type();
  const size = types.named.reduce((sum, { type: text }) => sum + text.length, type.length);
  return size > TYPE_CHARACTERS ? { type: 'any', named: [] } : { type, named: types.named };
}

/** A call without an argument sends `{}`. */
function acceptsNothing(schema: JsonSchema): boolean {
  const { required } = schema;
  const plain = !['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema);
  return plain && (!Array.isArray(required) || required.length === 0);
}

/** The declarations that the type-checker reads. */
export function scopeDeclarations(scope: CheckScope): string {
  const tools = Object.entries(scope.tools).map(([name, spec]) => toolType(name, spec, 'Tool'));
  const workflows = scope.workflows.map(({ name, input, output }) =>
    toolType(
      name,
      { description: '', input: input ?? {}, ...(output ? { output } : {}) },
      'Workflow',
    ),
  );
  const lines: string[] = [];
  for (const { named } of [...tools, ...workflows]) {
    for (const { name, type } of named) lines.push(`type ${name} = ${type};`);
  }
  lines.push('interface __RewindTools {');
  for (const tool of tools) lines.push(`  ${propertyName(tool.name)}${tool.signature};`);
  lines.push('}', 'interface __RewindWorkflows {');
  for (const workflow of workflows)
    lines.push(`  ${propertyName(workflow.name)}${workflow.signature};`);
  lines.push('}');
  lines.push(...rootDeclarations(Object.keys(scope.tools)));
  return lines.join('\n');
}

interface Tree {
  [segment: string]: Tree | string;
}

/** `declare const crm: { find_customer: … }` for the names that are reached so. */
function rootDeclarations(names: string[]): string[] {
  const roots: Tree = Object.create(null) as Tree;
  for (const name of names) {
    if (!isReachable(name)) continue;
    const segments = name.split('.');
    let tree = roots;
    for (const segment of segments.slice(0, -1)) {
      const next = (tree[segment] ??= Object.create(null) as Tree);
      if (typeof next === 'string') break;
      tree = next;
    }
    tree[segments.at(-1) ?? ''] = name;
  }
  const write = (tree: Tree | string): string =>
    typeof tree === 'string'
      ? `__RewindTools[${JSON.stringify(tree)}]`
      : `{ ${Object.entries(tree)
          .map(([segment, inner]) => `readonly ${segment}: ${write(inner)}`)
          .join('; ')} }`;
  return Object.entries(roots).map(([name, tree]) => `declare const ${name}: ${write(tree)};`);
}

/** How a script writes the call. */
function callName(name: string): string {
  return isReachable(name) ? name : `tools[${JSON.stringify(name)}]`;
}

/** A tool's declaration in one line, for people and models. */
export function toolDeclaration(name: string, spec: ToolSpec): string {
  return `${callName(name)}${toolType(name, spec, 'Tool').signature}`;
}

/** Declarations to read: descriptions, calls, and the named types they use. */
export function readableDeclarations(scope: CheckScope, names?: string[]): string {
  const wanted = (name: string) =>
    names === undefined ||
    names.some((part) => name === part || name.startsWith(`${part.replace(/\.$/, '')}.`));
  const blocks: string[] = [];
  for (const [name, spec] of Object.entries(scope.tools)) {
    if (!wanted(name)) continue;
    const { description, signature, named } = toolType(name, spec, 'Tool');
    const once = spec.policy === 'at_most_once' ? ' (at most once)' : '';
    blocks.push(
      [
        ...named.map((type) => `type ${type.name} = ${type.type};`),
        `/** ${description.replace(/\*\//g, '* /')}${once} */`,
        `${callName(name)}${signature};`,
      ].join('\n'),
    );
  }
  return blocks.join('\n\n');
}
