import { describe, expect, test } from '@jest/globals';
import { JsonTooLargeError, writeJson } from '../../../sdk/json/write';

const MiB = 1024 * 1024;
const write = (value: unknown): string => writeJson(value, 'result', MiB);

describe('JSON of a result', () => {
  test.each<[string, unknown, unknown]>([
    ['undefined is null', undefined, null],
    ['null', null, null],
    ['a string with half a surrogate pair', 'a"\u2028\ud800', 'a"\u2028\ud800'],
    ['numbers', [0, -0, 1.5, 1e21], [0, 0, 1.5, 1e21]],
    [
      'undefined members are left out, in lists they are null',
      { a: undefined, b: [undefined] },
      { b: [null] },
    ],
    ['a Date is ISO text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['toJSON is used', { toJSON: () => ({ x: 1 }) }, { x: 1 }],
    ['boxed values', [Object('s'), Object(1), Object(true)], ['s', 1, true]],
    ['a Buffer', Buffer.from('hi'), { type: 'Buffer', data: [104, 105] }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['symbol keys and inherited members are left out', Object.create({ a: 1 }, {}), {}],
    ['the same object twice', ((one) => [one, one])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
  ])('FC-07: %s', (_, value, expected) => {
    expect(JSON.parse(write(value))).toEqual(expected);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  test.each<[string, unknown, string]>([
    ['a BigInt', { n: 10n }, 'result.n is a BigInt, which JSON cannot hold'],
    [
      'a cycle',
      { a: [cycle] },
      'result.a[0].self is a reference to an object around it (a cycle), which JSON cannot hold',
    ],
    ['a Map', { items: [1, 2, 3, new Map()] }, 'result.items[3] is a Map, which JSON cannot hold'],
    ['a Set', new Set(), 'result is a Set, which JSON cannot hold'],
    ['NaN', [NaN], 'result[0] is NaN, which JSON cannot hold'],
    ['Infinity', { 'a b': -Infinity }, 'result["a b"] is -Infinity, which JSON cannot hold'],
    ['a function', { f: () => 1 }, 'result.f is a function, which JSON cannot hold'],
    ['a symbol', { s: Symbol('x') }, 'result.s is a symbol, which JSON cannot hold'],
    [
      'a promise nobody awaited',
      { p: Promise.resolve(1) },
      'result.p is a Promise, which JSON cannot hold',
    ],
    ['an error', { e: new RangeError('x') }, 'result.e is an Error, which JSON cannot hold'],
    ['bytes', { b: new Uint8Array(2) }, 'result.b is a Uint8Array, which JSON cannot hold'],
    [
      'an invalid date',
      { at: new Date(NaN) },
      'result.at is an invalid Date, which JSON cannot hold',
    ],
    ['a boxed BigInt', { n: Object(1n) as object }, 'result.n is a BigInt, which JSON cannot hold'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no');
        },
      },
      'result.a cannot be read (Error: no)',
    ],
    [
      'a toJSON that throws',
      {
        a: {
          toJSON() {
            throw new Error('no');
          },
        },
      },
      'result.a cannot be read (Error: no)',
    ],
  ])('FC-07: %s is refused with its path', (_, value, message) => {
    expect(() => write(value)).toThrow(new TypeError(message));
  });

  test('FC-07: proxies that throw, whatever is asked of them, are refused and not more', () => {
    const hostile = new Proxy(
      {},
      new Proxy(
        {},
        {
          get: () => () => {
            throw new Error('no');
          },
        },
      ),
    );
    expect(() => write({ a: hostile })).toThrow(/^result\.a cannot be read/);
  });

  test('nesting that would overflow the stack is refused', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => write(deep)).toThrow(/nested more than 500 levels/);
  });

  test('exactly the limit is taken, one byte more is refused, counted in UTF-8', () => {
    expect(write('x'.repeat(MiB - 2))).toHaveLength(MiB);
    expect(() => write('x'.repeat(MiB - 1))).toThrow(JsonTooLargeError);
    expect(() => write('ø'.repeat(MiB / 2))).toThrow(/result is larger than 1048576 bytes/);
  });

  test('a list with an absurd length is refused without being walked', () => {
    expect(() => write({ list: new Array(4e9) })).toThrow(JsonTooLargeError);
  });

  test('what is written is what JSON.stringify writes, for plain values', () => {
    const value = { a: [1, 'x', null, { b: { c: [true, false] } }], ' ': '"\\\n' };
    expect(write(value)).toBe(JSON.stringify(value));
  });
});
