/** A promise and what settles it. */
export interface Gate<T = void> {
  promise: Promise<T>;
  open: (value: T) => void;
}

/** For tests that decide when something goes on. */
export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open };
}
