/**
 * Repeats `probe` until it gives something truthy without throwing, and gives that. At the deadline
 * it fails with what the last try said.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  options: { within?: number; every?: number } = {},
): Promise<NonNullable<T>> {
  const { within = 30_000, every = 50 } = options;
  const deadline = Date.now() + within;
  for (;;) {
    let last: unknown;
    try {
      const value = await probe();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const said = last instanceof Error ? last.message : String(last);
      throw new Error(`not within ${within} ms: ${said}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
