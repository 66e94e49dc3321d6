import { z } from 'zod';
import type { JsonSchema } from '../protocol/json';
import { describeThrown } from '../errors/describe';
import { invalid } from '../client/options';
import { closeObjects } from './close-objects';
import { standardOf } from './standard-schema';

const target = 'draft-2020-12';

/**
 * JSON Schema of whatever a declaration gives as a schema. A zod object without a catchall takes no
 * other members, so that a misspelt argument is refused instead of dropped.
 *
 * @param side what goes in before the schema's transforms, or what comes out
 * @param where for messages, such as `tools["crm.find"].input`
 */
export function toJsonSchema(schema: unknown, side: 'input' | 'output', where: string): JsonSchema {
  const standard = standardOf(schema);
  if (!standard) {
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
      return schema as JsonSchema;
    }
    throw invalid(where, 'must be a JSON Schema or a schema such as zod 4 makes them');
  }
  const convert = standard.jsonSchema?.[side];
  let result: JsonSchema;
  try {
    if (typeof convert === 'function') result = convert({ target });
    else if (isZod4(schema)) result = z.toJSONSchema(schema as z.ZodType, { io: side });
    else throw new Error('its library cannot give JSON Schema by the Standard Schema interface');
  } catch (error) {
    throw invalid(
      where,
      `the schema (${String(standard.vendor)}) has no JSON Schema: ${describeThrown(error)}`,
    );
  }
  // A copy without what only the library sees, such as getters and symbols.
  const copy = JSON.parse(JSON.stringify(result)) as JsonSchema;
  delete copy['$schema'];
  return standard.vendor === 'zod' ? closeObjects(copy) : copy;
}

/** The first releases of zod 4 have the interface without its JSON Schema part. */
function isZod4(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}
