/** Ctrl-C reaches a process by the terminal, by npm and by tsx: that many at once are one. */
const SAME_MS = 1_000;

/**
 * Returns when the process is asked to stop (SIGINT, SIGTERM); rejects when `failed` does. Asked
 * again, the process ends at once.
 */
export async function untilSignal(failed: Promise<never>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let stop: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (stop = resolve));
  let first: number | undefined;
  const onSignal = () => {
    first ??= Date.now();
    if (Date.now() - first > SAME_MS) process.exit(130);
    stop();
  };
  for (const signal of signals) process.on(signal, onSignal);
  await Promise.race([asked, failed]);
}
