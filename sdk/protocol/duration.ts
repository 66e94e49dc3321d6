import { z } from 'zod';

/** `"250ms"`, `"30s"`, `"1.5h"`, `"3d"`. Always with its unit; a number is refused. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const pattern = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;

/**
 * Milliseconds of a duration text, or `undefined` where it is none. Strict on purpose: `"3 days"`,
 * `"-1s"` and `3000` are refused rather than guessed.
 */
export function parseDuration(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * (unitMs[match[2] ?? ''] ?? NaN));
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest exact duration text: `60000` is `"1m"`. */
export function formatDuration(ms: number): Duration {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const size = unitMs[unit] ?? 1;
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

/** A duration text between two bounds, both included. */
export function durationBetween(minMs: number, maxMs: number): z.ZodType<Duration> {
  return z
    .string()
    .refine(
      (text) => {
        const ms = parseDuration(text);
        return ms !== undefined && ms >= minMs && ms <= maxMs;
      },
      {
        error: `must be a duration with its unit, such as "30s", from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
      },
    )
    .meta({ description: `Duration text, ${formatDuration(minMs)} to ${formatDuration(maxMs)}` })
    .transform((text) => text as Duration);
}
