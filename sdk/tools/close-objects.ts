import type { JsonSchema } from '../protocol/json';

const schemaKeys = [
  'additionalProperties',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
const listKeys = ['prefixItems', 'anyOf', 'oneOf', 'allOf', 'items'];
const mapKeys = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * Sets `additionalProperties: false` on objects that list their properties and say nothing of others.
 * Parts of an intersection stay open: closed, each would refuse the members of the other.
 */
export function closeObjects(root: JsonSchema): JsonSchema {
  const open = new Set<object>();
  visit(root, (schema) => {
    for (const part of list(schema['allOf'])) keepOpen(part, root, open);
  });
  visit(root, (schema) => {
    if (
      isObject(schema['properties']) &&
      !('additionalProperties' in schema) &&
      !open.has(schema)
    ) {
      schema['additionalProperties'] = false;
    }
  });
  return root;
}

function keepOpen(schema: JsonSchema, root: JsonSchema, open: Set<object>): void {
  if (open.has(schema)) return;
  open.add(schema);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    for (const part of list(schema[key])) keepOpen(part, root, open);
  }
  const target = resolve(schema['$ref'], root);
  if (target) keepOpen(target, root, open);
}

function resolve(ref: unknown, root: JsonSchema): JsonSchema | undefined {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const key = decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isObject(at) ? at : undefined;
}

/** Only where a schema stands: a `default` or `enum` that looks like one is left alone. */
function visit(schema: JsonSchema, each: (schema: JsonSchema) => void): void {
  each(schema);
  for (const key of schemaKeys) if (isObject(schema[key])) visit(schema[key], each);
  for (const key of listKeys) for (const part of list(schema[key])) visit(part, each);
  for (const key of mapKeys) {
    if (isObject(schema[key])) {
      for (const part of Object.values(schema[key])) if (isObject(part)) visit(part, each);
    }
  }
}

function list(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
