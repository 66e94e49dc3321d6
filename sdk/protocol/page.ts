import { z } from 'zod';
import { limits } from './limits';

/** Query values arrive as text; anything but plain digits is refused. */
const digits = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value <= max, { error: `must be at most ${max}` });

export const listQuery = {
  limit: digits(limits.pageRows)
    .refine((value) => value >= 1, { error: 'must be at least 1' })
    .optional(),
  cursor: z.string().max(4096).optional(),
};

/** `from`: the number of the first call, instead of a cursor. */
export const traceQuery = z.strictObject({
  ...listQuery,
  from: digits(Number.MAX_SAFE_INTEGER).optional(),
});

export const textQuery = z.strictObject({
  offset: digits(Number.MAX_SAFE_INTEGER).optional(),
  limit: digits(limits.outputBytes).optional(),
});

export const pageOf = <T extends z.ZodType>(
  row: T,
): z.ZodObject<{ data: z.ZodArray<T>; nextCursor: z.ZodExactOptional<z.ZodString> }> =>
  z.object({ data: z.array(row), nextCursor: z.string().exactOptional() });

/** A part of a long text. Offsets count bytes of UTF-8 and never cut a character. */
export interface TextPage {
  text: string;
  offset: number;
  /** Where the next part begins; left out at the end. */
  nextOffset?: number;
  total: number;
}

export const textPageSchema: z.ZodType<TextPage> = z.object({
  text: z.string(),
  offset: z.int(),
  nextOffset: z.int().exactOptional(),
  total: z.int(),
});
