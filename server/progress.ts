/** Tells of one step: called when it begins, the result when it is over. */
export type Progress = <T>(step: string, action: () => Promise<T>) => Promise<T>;

/** One line for each step on standard output, with its seconds. */
export function progressLines(write: (text: string) => void = console.log): Progress {
  return async (step, action) => {
    const start = Date.now();
    const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
    write(`${step}…`);
    const timer = setInterval(() => write(`  still at it, ${seconds()}`), 5_000);
    try {
      const result = await action();
      write(`  done, ${seconds()}`);
      return result;
    } catch (error) {
      write(`  failed, ${seconds()}`);
      throw error;
    } finally {
      clearInterval(timer);
    }
  };
}

/** Says nothing. */
export const silently: Progress = (_step, action) => action();
