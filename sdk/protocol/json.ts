import { z } from 'zod';

/** Any JSON value. */
export const jsonValue = z.unknown();
/** A JSON Schema, draft 2020-12 or 7, as a plain object. */
export type JsonSchema = Record<string, unknown>;
export const jsonSchema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8: what every size limit counts. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength;
}
