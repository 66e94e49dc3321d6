/** How long to wait before the next try. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** Doubles with each failure; the random half keeps many clients from coming back together. */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return full / 2 + (Math.random() * full) / 2;
}
