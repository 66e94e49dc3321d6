import type { JsonSchema } from '../sdk/protocol';
import { resolvePointer } from './schema-types';

/** A problem of a schema: where, as a JSON pointer, and what. */
export interface SchemaProblem {
  path: string;
  message: string;
}

const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const DEPTH = 200;

/** Keywords by what they hold. */
const oneSchema = [
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first problem of a schema that is to be of an object (a tool's input) or of anything. */
export function schemaProblem(
  schema: JsonSchema,
  root: 'object' | 'any',
): SchemaProblem | undefined {
  try {
    return (
      walk(schema, schema, '#', 0) ??
      (root === 'object' && !isOfObject(schema, schema, new Set())
        ? { path: '#', message: 'must be the schema of an object' }
        : undefined)
    );
  } catch (error) {
    if (error instanceof Found) return error.problem;
    throw error;
  }
}

class Found extends Error {
  constructor(readonly problem: SchemaProblem) {
    super(problem.message);
  }
}

function refuse(path: string, message: string): never {
  throw new Found({ path, message });
}

function walk(root: JsonSchema, schema: unknown, path: string, depth: number): undefined {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) refuse(path, 'must be a schema: an object or a boolean');
  if (depth > DEPTH) refuse(path, `is nested deeper than ${DEPTH} levels`);
  const at = (keyword: string) => `${path}/${keyword.replace(/~/g, '~0').replace(/\//g, '~1')}`;
  checkTypes(schema, at);
  checkReference(root, schema, at);
  for (const keyword of counts) {
    const value = schema[keyword];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 0)) {
      refuse(at(keyword), 'must be a whole number, at least 0');
    }
  }
  for (const keyword of numbers) {
    if (schema[keyword] !== undefined && typeof schema[keyword] !== 'number') {
      refuse(at(keyword), 'must be a number');
    }
  }
  if (schema['pattern'] !== undefined) checkPattern(schema['pattern'], at('pattern'));
  for (const keyword of oneSchema) {
    if (schema[keyword] !== undefined) walk(root, schema[keyword], at(keyword), depth + 1);
  }
  const { items } = schema;
  if (Array.isArray(items))
    items.forEach((item, index) => walk(root, item, `${at('items')}/${index}`, depth + 1));
  else if (items !== undefined) walk(root, items, at('items'), depth + 1);
  for (const keyword of schemaLists) {
    const list = schema[keyword];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) refuse(at(keyword), 'must be a list of schemas');
    list.forEach((item, index) => walk(root, item, `${at(keyword)}/${index}`, depth + 1));
  }
  for (const keyword of schemaMaps) {
    const map = schema[keyword];
    if (map === undefined) continue;
    if (!isObject(map)) refuse(at(keyword), 'must be an object of schemas');
    for (const [name, item] of Object.entries(map)) {
      if (keyword === 'patternProperties') checkPattern(name, at(keyword));
      walk(
        root,
        item,
        `${at(keyword)}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`,
        depth + 1,
      );
    }
  }
  return;
}

function checkTypes(schema: JsonSchema, at: (keyword: string) => string): void {
  const { type, required } = schema;
  const types: unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  for (const name of types) {
    if (!typeNames.includes(name as string))
      refuse(at('type'), `must be one of ${typeNames.join(', ')}`);
  }
  if (schema['enum'] !== undefined && !Array.isArray(schema['enum']))
    refuse(at('enum'), 'must be a list');
  if (required === undefined) return;
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
    refuse(at('required'), 'must be a list of property names');
  }
}

function checkReference(
  root: JsonSchema,
  schema: JsonSchema,
  at: (keyword: string) => string,
): void {
  for (const keyword of ['$dynamicRef', '$recursiveRef']) {
    if (schema[keyword] !== undefined) refuse(at(keyword), 'is not supported; use $ref');
  }
  const ref = schema['$ref'];
  if (ref === undefined) return;
  if (typeof ref !== 'string') refuse(at('$ref'), 'must be a text');
  if (!ref.startsWith('#')) {
    refuse(at('$ref'), `"${ref.slice(0, 200)}" points outside of the schema; nothing is fetched`);
  }
  if (resolvePointer(root, ref) === undefined) {
    refuse(at('$ref'), `"${ref.slice(0, 200)}" points to nothing in the schema`);
  }
}

function checkPattern(pattern: unknown, path: string): void {
  try {
    new RegExp(String(pattern), 'u');
  } catch {
    refuse(path, 'must be a regular expression of JavaScript');
  }
}

/** Whether only objects fit. References in a circle say nothing. */
function isOfObject(root: JsonSchema, schema: unknown, seen: Set<unknown>): boolean {
  if (!isObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  if (schema['type'] === 'object') return true;
  const { $ref: ref, anyOf, oneOf, allOf } = schema;
  if (typeof ref === 'string' && isOfObject(root, resolvePointer(root, ref), new Set(seen)))
    return true;
  for (const choice of [anyOf, oneOf]) {
    if (Array.isArray(choice) && choice.every((part) => isOfObject(root, part, new Set(seen))))
      return true;
  }
  if (Array.isArray(allOf) && allOf.some((part) => isOfObject(root, part, new Set(seen))))
    return true;
  return schema['type'] === undefined && isObject(schema['properties']);
}
