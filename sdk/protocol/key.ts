import { z } from 'zod';
import { durationBetween } from './duration';
import { labelsSchema } from './labels';
import { limits } from './limits';
import { listQuery } from './page';

/** What a credential may do. */
export type Right = 'run' | 'claim' | 'answer' | 'approve' | 'admin';
export const rights = [
  'run',
  'claim',
  'answer',
  'approve',
  'admin',
] as const satisfies readonly Right[];

export const createKeyBody = z.strictObject({
  name: z.string().min(1).max(200),
  labels: labelsSchema.exactOptional(),
  rights: z.array(z.enum(rights)).min(1).exactOptional(),
  expiresIn: durationBetween(1_000, limits.ttlMs).exactOptional(),
});
/** The key itself is shown this once; only its hash is kept. */
export const createdKeySchema = z.object({ id: z.string(), key: z.string() });
export const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  labels: labelsSchema,
  rights: z.array(z.enum(rights)),
  createdAt: z.string(),
  lastUsedAt: z.string().exactOptional(),
});
export type KeyObject = z.infer<typeof keySchema>;
export const listKeysQuery = z.strictObject(listQuery);
