import type { z } from 'zod';
import type { JsonSchema } from '../protocol/json';
import { definitionOf } from './definitions';
import { argumentSchemas, type Arguments } from './schemas';
import { quotedWithin, visible } from './text/escape';
import type { AgentToolName } from './types';

const MOST = 10;

/** Reads the arguments of a call as the model gave them, or says in words what is wrong with them. */
export function readArguments<Name extends AgentToolName>(
  name: Name,
  given: unknown,
): { arguments: Arguments<Name> } | { problem: string } {
  const { properties = {} } = definitionOf(name).inputSchema as {
    properties?: Record<string, JsonSchema>;
  };
  const parsed = argumentSchemas[name].safeParse(lenient(given, properties));
  if (parsed.success) return { arguments: parsed.data as Arguments<Name> };
  const { issues } = parsed.error;
  const lines = issues.slice(0, MOST).flatMap((issue) => {
    const path = issue.path.map(String).join('.');
    const message = issue.message.replace(/^Invalid input: /, '');
    return quotedWithin(visible(`${path === '' ? 'arguments' : path}: ${message}`), 400);
  });
  const more = issues.length - MOST;
  return {
    problem: [
      `Error: bad arguments for ${name}`,
      ...lines,
      ...(more > 0 ? [`and ${more} more`] : []),
      `Takes: ${takes(argumentSchemas[name])}`,
    ].join('\n'),
  };
}

/** Models give objects and lists as JSON text at times, and null for what they leave out. */
function lenient(given: unknown, properties: Record<string, JsonSchema>): unknown {
  const value = fromText(given ?? {});
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).flatMap(([key, part]) => {
      const type = Object.hasOwn(properties, key) ? properties[key]?.['type'] : undefined;
      if (part === null && type !== undefined) return [];
      return [[key, type === 'object' || type === 'array' ? fromText(part) : part]];
    }),
  );
}

function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? parsed : value;
  } catch {
    return value;
  }
}

/** `{"run_id": string, "name": string, "payload"?: any}`. */
function takes(schema: z.ZodObject): string {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const optional = (field as z.ZodType).safeParse(undefined).success;
    return `"${name}"${optional ? '?' : ''}: ${typeName(field as z.ZodType)}`;
  });
  return `{${fields.join(', ')}}`;
}

function typeName(schema: z.ZodType): string {
  const json = schema.toJSONSchema({ io: 'input' }) as JsonSchema;
  const {
    type,
    enum: values,
    items,
  } = json as { type?: string; enum?: string[]; items?: JsonSchema };
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `${(items?.['type'] as string | undefined) ?? 'any'}[]`;
  return type ?? 'any';
}
