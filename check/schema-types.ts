import type { JsonSchema } from '../sdk/protocol';

type Schema = JsonSchema | boolean;

/** Deeper schemas end as `unknown`: nobody reads types so deep. */
const DEPTH = 40;
/** A referenced type longer than this gets a name, so that it is written once. */
const INLINE = 160;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

/** The part of a schema that a `#/…` reference points to. Nothing outside the schema is ever read. */
export function resolvePointer(root: Schema, ref: string): Schema | undefined {
  if (!/^#(\/|$)/.test(ref)) return undefined;
  let here: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decode(part).replace(/~1/g, '/').replace(/~0/g, '~');
    if (Array.isArray(here)) here = here[Number(key)];
    else if (isObject(here) && Object.hasOwn(here, key)) here = here[key];
    else return undefined;
  }
  return isSchema(here) ? here : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * TypeScript types of a JSON Schema, with the verdict that validation gives: what type-checks is not
 * refused for its shape, and the reverse. What TypeScript cannot say (patterns, ranges) is left to
 * validation. Types are written in place; recursive and long ones get names.
 */
export class SchemaTypes {
  /** Declarations of the named types, in the order in which they were met. */
  readonly named: { name: string; type: string }[] = [];
  private readonly refs = new Map<string, { name: string; type?: string; recursive: boolean }>();

  constructor(
    private readonly root: Schema,
    private readonly prefix: string,
  ) {}

  type(): string {
    return this.of(this.root, 0);
  }

  private of(schema: Schema, depth: number): string {
    if (schema === true) return 'unknown';
    if (schema === false) return 'never';
    if (depth > DEPTH) return 'unknown';
    const parts: string[] = [];
    if (typeof schema['$ref'] === 'string') parts.push(this.reference(schema['$ref'], depth));
    const own = this.own(schema, depth);
    if (own !== 'unknown') parts.push(own);
    for (const choice of [schema['anyOf'], schema['oneOf']]) {
      if (Array.isArray(choice))
        parts.push(union(choice.filter(isSchema).map((part) => this.of(part, depth + 1))));
    }
    if (Array.isArray(schema['allOf'])) {
      parts.push(...schema['allOf'].filter(isSchema).map((part) => this.of(part, depth + 1)));
    }
    return intersection(parts);
  }

  private reference(ref: string, depth: number): string {
    const target = resolvePointer(this.root, ref);
    if (target === undefined) return 'unknown';
    const seen = this.refs.get(ref);
    if (seen) {
      if (seen.type === undefined) seen.recursive = true;
      return seen.type === undefined || seen.recursive ? seen.name : seen.type;
    }
    const entry: { name: string; type?: string; recursive: boolean } = {
      name: `${this.prefix}_${nameOf(ref)}_${this.refs.size + 1}`,
      recursive: false,
    };
    this.refs.set(ref, entry);
    const type = this.of(target, depth + 1);
    if (entry.recursive || type.length > INLINE) {
      // An alias that is nothing but itself would not compile.
      this.named.push({ name: entry.name, type: type === entry.name ? 'unknown' : type });
      entry.type = entry.name;
      entry.recursive = true;
    } else {
      entry.type = type;
    }
    return entry.type;
  }

  private own(schema: JsonSchema, depth: number): string {
    if ('const' in schema) return literal(schema['const'], 0);
    if (Array.isArray(schema['enum'])) {
      const allowed = schema['enum'].filter((value) => fitsType(value, schema['type']));
      return union(allowed.map((value) => literal(value, 0)));
    }
    const { type } = schema;
    const types = Array.isArray(type) ? type : typeof type === 'string' ? [type] : implied(schema);
    if (types.length === 0) return 'unknown';
    return union(types.map((name) => this.ofType(String(name), schema, depth)));
  }

  private ofType(type: string, schema: JsonSchema, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array':
        return this.array(schema, depth);
      case 'object':
        return this.object(schema, depth);
      default:
        return 'unknown';
    }
  }

  private array(schema: JsonSchema, depth: number): string {
    const { prefixItems, items, minItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    const element = isSchema(rest) ? this.of(rest, depth + 1) : 'unknown';
    if (first.length === 0) return `${parenthesized(element)}[]`;
    const required = typeof minItems === 'number' ? minItems : 0;
    const parts = first.map((part, index) => {
      const item = isSchema(part) ? this.of(part, depth + 1) : 'unknown';
      return index < required ? item : `${parenthesized(item)}?`;
    });
    if (rest !== false) parts.push(`...${parenthesized(element)}[]`);
    return `[${parts.join(', ')}]`;
  }

  private object(schema: JsonSchema, depth: number): string {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const fields: string[] = [];
    const types = new Set<string>();
    for (const [name, part] of Object.entries(properties)) {
      const type = isSchema(part) ? this.of(part, depth + 1) : 'unknown';
      types.add(type);
      fields.push(`${propertyName(name)}${required.has(name) ? '' : '?'}: ${type}`);
    }
    for (const name of required) {
      if (typeof name === 'string' && !Object.hasOwn(properties, name)) {
        fields.push(`${propertyName(name)}: unknown`);
      }
    }
    const index = this.indexType(schema, types, depth);
    if (index !== undefined) fields.push(`[key: string]: ${index}`);
    return fields.length > 0 ? `{ ${fields.join('; ')} }` : '{ [key: string]: never }';
  }

  /** What other properties may be; TypeScript wants it to cover the named ones too. */
  private indexType(schema: JsonSchema, named: Set<string>, depth: number): string | undefined {
    const { additionalProperties, patternProperties } = schema;
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
    if (additionalProperties === false && patterns.length === 0) return undefined;
    const others = [
      ...patterns,
      additionalProperties === false ? undefined : (additionalProperties ?? true),
    ];
    const types = others.filter(isSchema).map((part) => this.of(part, depth + 1));
    return union([...types, ...named, ...(named.size > 0 ? ['undefined'] : [])]);
  }
}

/** A schema without `type` still says by its keywords what it is about. */
function implied(schema: JsonSchema): string[] {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema)
    return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  return [];
}

function fitsType(value: unknown, type: unknown): boolean {
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length === 0) return true;
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.some(
    (name) =>
      name === actual ||
      (name === 'integer' && Number.isInteger(value)) ||
      (name === 'number' && actual === 'number'),
  );
}

function literal(value: unknown, depth: number): string {
  if (depth > DEPTH) return 'unknown';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, depth + 1)).join(', ')}]`;
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(
      ([name, item]) => `${propertyName(name)}: ${literal(item, depth + 1)}`,
    );
    return fields.length > 0 ? `{ ${fields.join('; ')} }` : '{ [key: string]: never }';
  }
  return JSON.stringify(value);
}

const parenthesized = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type);

function union(types: string[]): string {
  const parts = [...new Set(types)].filter((type) => type !== 'never');
  if (parts.includes('unknown')) return 'unknown';
  return parts.length === 0 ? 'never' : parts.join(' | ');
}

function intersection(types: string[]): string {
  const parts = [...new Set(types)].filter((type) => type !== 'unknown');
  if (parts.length === 0) return 'unknown';
  return parts.length === 1 ? (parts[0] ?? 'unknown') : parts.map(parenthesized).join(' & ');
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function nameOf(ref: string): string {
  return (ref.split('/').at(-1) ?? '').replace(/\W/g, '_') || 'root';
}
