import { describeThrown } from '../errors/describe';
import { utf8Bytes } from '../protocol/json';

/** Text that is JSON already, taken as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Thrown for a value that JSON cannot hold; the message names its path. */
export class NotJsonError extends TypeError {}

/** Thrown when the JSON text would be longer than the limit. */
export class JsonTooLargeError extends Error {
  constructor(
    readonly root: string,
    readonly limit: number,
  ) {
    super(`${root} is larger than ${limit} bytes of JSON`);
  }
}

const MAX_DEPTH = 500;

/**
 * JSON text of a value. Unlike `JSON.stringify`, which drops functions and turns a `Map` into `{}` and
 * `NaN` into null without a word, it refuses what JSON cannot hold and says where it is. `undefined`
 * is null (left out as a property), a `Date` is ISO text, `toJSON` is used.
 *
 * @param root how the value is called in messages, such as `result`
 * @param limit most bytes; nothing much larger is ever built up
 */
export function writeJson(value: unknown, root: string, limit: number): string {
  const text = new Writer(root, limit).write(value);
  if (utf8Bytes(text) > limit) throw new JsonTooLargeError(root, limit);
  return text;
}

class Writer {
  readonly #root: string;
  readonly #limit: number;
  readonly #path: (string | number)[] = [];
  readonly #open = new Set<object>();
  /** Bytes that the text has at least, counted ahead: an endless list is refused before it is walked. */
  #size = 0;

  constructor(root: string, limit: number) {
    this.#root = root;
    this.#limit = limit;
  }

  write(value: unknown): string {
    return this.#text(this.#convert(value, '')) ?? 'null';
  }

  /** `undefined` only for `undefined`. */
  #text(value: unknown): string | undefined {
    if (value === undefined) return undefined;
    if (value === null) return 'null';
    switch (typeof value) {
      case 'string':
        this.#grow(value.length);
        return JSON.stringify(value);
      case 'boolean':
        return String(value);
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(String(value));
        return JSON.stringify(value);
      case 'bigint':
        return this.#refuse('a BigInt');
      case 'symbol':
        return this.#refuse('a symbol');
      case 'function':
        return this.#refuse('a function');
      default:
        return this.#object(value);
    }
  }

  #object(value: object): string {
    if (this.#read(() => value instanceof JsonText)) {
      const { text } = value as JsonText;
      this.#grow(text.length);
      return text;
    }
    if (this.#open.has(value)) this.#refuse('a reference to an object around it (a cycle)');
    if (this.#open.size >= MAX_DEPTH) this.#refuse(`nested more than ${MAX_DEPTH} levels deep`);
    this.#open.add(value);
    try {
      if (this.#read(() => Array.isArray(value))) return this.#list(value as unknown[]);
      const kind = this.#read(() => Object.prototype.toString.call(value).slice(8, -1));
      const boxed = boxedKinds.get(kind);
      if (boxed) return this.#text(this.#read(() => boxed(value))) ?? 'null';
      if (refusedKinds.has(kind)) this.#refuse(`${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`);
      return this.#members(value as Record<string, unknown>);
    } finally {
      this.#open.delete(value);
    }
  }

  #list(list: readonly unknown[]): string {
    const length = this.#read(() => list.length);
    this.#grow(length * 2);
    const parts: string[] = [];
    for (let index = 0; index < length; index++) {
      this.#path.push(index);
      parts.push(
        this.#text(
          this.#convert(
            this.#read(() => list[index]),
            String(index),
          ),
        ) ?? 'null',
      );
      this.#path.pop();
    }
    return `[${parts.join(',')}]`;
  }

  #members(value: Record<string, unknown>): string {
    const keys = this.#read(() => Object.keys(value));
    this.#grow(keys.length * 4);
    const parts: string[] = [];
    for (const key of keys) {
      this.#path.push(key);
      const member = this.#text(
        this.#convert(
          this.#read(() => value[key]),
          key,
        ),
      );
      if (member !== undefined) parts.push(`${JSON.stringify(key)}:${member}`);
      this.#path.pop();
    }
    return `{${parts.join(',')}}`;
  }

  /** `toJSON` is asked once, as JSON.stringify does. */
  #convert(value: unknown, key: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (this.#read(() => value instanceof Date && Number.isNaN(value.getTime()))) {
      this.#refuse('an invalid Date');
    }
    return this.#read(() => {
      const convert = (value as { toJSON?: unknown }).toJSON;
      return typeof convert === 'function' ? (convert.call(value, key) as unknown) : value;
    });
  }

  /** Runs code of the value's own (getter, proxy, toJSON), which may throw. */
  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const reason = describeThrown(error).slice(0, 500);
      throw new NotJsonError(`${this.#where()} cannot be read (${reason})`);
    }
  }

  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#limit) throw new JsonTooLargeError(this.#root, this.#limit);
  }

  #refuse(what: string): never {
    throw new NotJsonError(`${this.#where()} is ${what}, which JSON cannot hold`);
  }

  #where(): string {
    let text = this.#root;
    for (const step of this.#path.slice(0, 30)) {
      if (typeof step === 'number') text += `[${step}]`;
      else if (/^[A-Za-z_$][\w$]{0,79}$/.test(step)) text += `.${step}`;
      else text += `[${JSON.stringify(step.slice(0, 80))}]`;
    }
    return this.#path.length > 30 ? `${text}…` : text;
  }
}

const boxedKinds = new Map<string, (value: object) => unknown>([
  ['Number', (value) => Number(value)],
  ['String', (value) => String.prototype.valueOf.call(value)],
  ['Boolean', (value) => Boolean.prototype.valueOf.call(value)],
]);

/** JSON.stringify would make `{}` of these, or something that nobody expects. */
const refusedKinds = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'Promise',
  'RegExp',
  'Error',
  'BigInt',
  'Symbol',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
]);
