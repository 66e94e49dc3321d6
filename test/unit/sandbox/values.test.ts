import { describe, expect, test } from '@jest/globals';
import { failure, output, run } from './support';

describe('FC-07: values that JSON cannot hold', () => {
  const refused: [string, string][] = [
    ['NaN', 'input.a is NaN, which JSON cannot hold'],
    ['[1, -Infinity]', 'input.a[1] is -Infinity, which JSON cannot hold'],
    ['new Map()', 'input.a is a Map, which JSON cannot hold'],
    ['{ b: new Set([1]) }', 'input.a.b is a Set, which JSON cannot hold'],
    ['() => 1', 'input.a is a function, which JSON cannot hold'],
    ['Symbol("x")', 'input.a is a symbol, which JSON cannot hold'],
    ['7n', 'input.a is a BigInt, which JSON cannot hold'],
    [
      '(() => { const c = {}; c.self = c; return c })()',
      'input.a.self is a cycle, which JSON cannot hold',
    ],
    ['new Date(NaN)', 'input.a is an invalid Date, which JSON cannot hold'],
  ];
  test.each(refused)(
    'an argument %s is refused by its path, and no call is made',
    async (value, message) => {
      const { end, calls } = await run(
        `return await ask({ a: ${value} }).catch((e) => e.name + ': ' + e.message)`,
      );
      expect(calls).toEqual([]);
      expect(end).toEqual({ ok: true, json: JSON.stringify(`TypeError: ${message}`) });
    },
  );

  test.each(refused)('an output %s fails the run with its path', async (value, message) => {
    expect(await failure(`return { a: ${value} }`)).toMatchObject({
      name: 'TypeError',
      message: message.replace('input', 'output'),
    });
  });

  test('a getter that throws is the script’s own error', async () => {
    expect(
      await output(
        'return await ask({ get a() { throw new Error("own") } }).catch((e) => e.message)',
      ),
    ).toBe('own');
  });
});

test('undefined, dates and toJSON go as JSON has them', async () => {
  expect(
    await output(
      `return await ask({ u: undefined, list: [undefined], date: new Date(0), own: { toJSON: () => ({ x: 1 }) }, error: new TypeError('t') })`,
    ),
  ).toEqual({
    list: [null],
    date: '1970-01-01T00:00:00.000Z',
    own: { x: 1 },
    error: { name: 'TypeError', message: 't' },
  });
  expect(await output('')).toBe(null);
  expect(await output('return undefined')).toBe(null);
});

test('a call without an argument sends an empty object, one with two is refused', async () => {
  expect(await output('return await ask()')).toEqual({});
  expect(await output('return await ask({}, 2).catch((e) => e.message)')).toBe(
    'ask takes one argument, an object; it got 2',
  );
});

test('a key named __proto__ pollutes nothing, in arguments and in results', async () => {
  expect(
    await output(
      `const got = await ask(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'));
       return [Object.keys(got), ({}).polluted === undefined, Object.getPrototypeOf(got) === Object.prototype]`,
    ),
  ).toEqual([['__proto__', 'a'], true, true]);
});

test('console shows values readably, and bounded', async () => {
  const { log } = await run(
    `const cycle = { name: 'c' }; cycle.self = cycle;
     console.log(cycle, () => 1, new Date(0), undefined, true);
     console.log(Array.from({ length: 500 }, (_, i) => i));
     console.log('x'.repeat(1e6));`,
  );
  const lines = log.text.trimEnd().split('\n');
  expect(lines[0]).toBe(
    '{name: "c", self: [Circular]} [Function ] 1970-01-01T00:00:00.000Z undefined true',
  );
  expect(lines[1]).toMatch(/, 99, … 400 more\]$/);
  expect(lines[2]?.length).toBeLessThan(17_000);
  const whole = await run(
    `console.log('text', 1, null, [1, 'two'], { a: { b: [] } }, new Error('e'))`,
  );
  expect(whole.log.text).toBe('text 1 null [1, "two"] {a: {b: []}} Error: e\n');
  const warned = await run(`console.warn('careful', new Map([['k', new Set([1])]]))`);
  expect(warned.log.text).toBe('warn: careful Map(1) {"k" => Set(1) {1}}\n');
});
