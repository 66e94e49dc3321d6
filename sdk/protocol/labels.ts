import { z } from 'zod';
import { limits } from './limits';

/** String pairs on a run: they scope agents, keys and tokens, and filter lists. */
export type Labels = Record<string, string>;

/** Control characters would break logs, headers and index values. */
// eslint-disable-next-line no-control-regex -- refusing control characters is the point
const printable = /^[^\u0000-\u001f\u007f]*$/u;
const printableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(printable, { error: 'must not contain control characters' })
    .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' });

export const labelsSchema: z.ZodType<Labels> = z
  .record(
    printableText(limits.labelKeyLength),
    z.string().max(limits.labelValueLength).regex(printable),
  )
  .refine((labels) => Object.keys(labels).length <= limits.labels, {
    error: `at most ${limits.labels} labels`,
  });

/** One end user of the harness. */
export const namespaceSchema = printableText(limits.namespaceLength);

/** `true` where `labels` has every pair of `scope`. */
export function hasLabels(labels: Labels, scope: Labels | undefined): boolean {
  return Object.entries(scope ?? {}).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  );
}
