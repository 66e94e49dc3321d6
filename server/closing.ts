/** What has to be undone, in the order opposite to that in which it was done. */
export interface Closing {
  add(name: string, close: () => unknown): void;
  /** Undoes all of it, also where a part of it fails; then rejects with those failures. */
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const open: { name: string; close: () => unknown }[] = [];
  let closed: Promise<void> | undefined;
  const closeAll = async () => {
    const failures: Error[] = [];
    for (let part = open.pop(); part; part = open.pop()) {
      try {
        await part.close();
      } catch (error) {
        failures.push(new Error(`${part.name} did not close`, { cause: error }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything closed cleanly');
  };
  return {
    add: (name, close) => void open.push({ name, close }),
    close: () => (closed ??= closeAll()),
  };
}
