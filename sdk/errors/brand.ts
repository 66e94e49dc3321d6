/**
 * `instanceof` fails between two copies of the package and between realms (jest runs tests in one of
 * its own). So errors carry a mark from the global symbol registry, one for each class of their chain.
 */
const ordinaryHasInstance = Function.prototype[Symbol.hasInstance];
const markOf = (name: string): symbol => Symbol.for(`@rewind.codes/sdk/${name}`);

/** Marks a class and all its instances; `instanceof` then holds across copies too. */
export function brand(constructor: abstract new (...args: never[]) => Error, name: string): void {
  const mark = markOf(name);
  Object.defineProperty(constructor.prototype, mark, { value: true });
  Object.defineProperty(constructor.prototype, 'name', {
    value: name,
    writable: true,
    configurable: true,
  });
  Object.defineProperty(constructor, Symbol.hasInstance, {
    // A subclass that somebody derives inherits this method but not the mark: it gets the usual check.
    value(this: unknown, value: unknown): boolean {
      return this === constructor
        ? hasBrand(value, name)
        : ordinaryHasInstance.call(this as () => void, value);
    },
  });
}

/** `true` where the value is an instance of the class of that name, from whichever copy. */
export function hasBrand(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return (value as Record<symbol, unknown>)[markOf(name)] === true;
  } catch {
    return false; // a proxy that refuses
  }
}
