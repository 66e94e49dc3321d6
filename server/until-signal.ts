/**
 * Returns when the process is asked to stop (SIGINT, SIGTERM); rejects when `failed` does. A second
 * signal ends the process at once.
 */
export async function untilSignal(failed: Promise<never>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let stop: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (stop = resolve));
  let count = 0;
  const onSignal = () => {
    count += 1;
    if (count > 1) process.exit(130);
    stop();
  };
  for (const signal of signals) process.on(signal, onSignal);
  await Promise.race([asked, failed]);
}
