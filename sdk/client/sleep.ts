/** More than this and `setTimeout` fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after so long, or as soon as the signal is aborted: whoever waits looks at the signal then. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted || ms <= 0) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener('abort', end, { once: true });
  });
}
