import { describe, expect, test } from '@jest/globals';
import { checkTools } from '../../../check/check-thread';
import { ToolSchemas } from '../../../workflows/validator';
import { closed, diagnostics, scopeOf } from './support';

const str = { type: 'string' };
const num = { type: 'number' };

/** Schema of a property `v`, values that fit it, values that do not. */
const verdicts: [string, Record<string, unknown> | boolean, unknown[], unknown[]][] = [
  ['text', str, ['a', ''], [1, null]],
  ['integer', { type: 'integer' }, [1, -2], ['1']],
  ['nullable by a list of types', { type: ['string', 'null'] }, ['a', null], [1]],
  [
    'FC-38: an enum without null beside a nullable type',
    { type: ['string', 'null'], enum: ['a', 'b'] },
    ['a'],
    [null, 'c'],
  ],
  [
    'an enum with null beside a type without',
    { type: 'string', enum: ['a', null] },
    ['a'],
    [null, 'b'],
  ],
  ['const', { const: { a: [1, 'x'] } }, [{ a: [1, 'x'] }], [{ a: [1] }, 'x']],
  ['list', { type: 'array', items: num }, [[], [1, 2]], [['1'], 1]],
  [
    'tuple, open',
    { type: 'array', prefixItems: [str, num] },
    [[], ['a'], ['a', 1], ['a', 1, true]],
    [[1]],
  ],
  [
    'tuple, closed',
    { type: 'array', prefixItems: [str, num], items: false, minItems: 2 },
    [['a', 1]],
    [['a'], ['a', 1, 2]],
  ],
  [
    'object, closed',
    closed({ a: str, b: num }, ['a']),
    [{ a: 'x' }, { a: 'x', b: 1 }],
    [{}, { a: 'x', c: 1 }, { b: 1 }],
  ],
  [
    'object, open',
    { type: 'object', properties: { a: str }, required: ['a'] },
    [{ a: 'x', c: 1 }],
    [{ c: 1 }, { a: 1 }],
  ],
  [
    'object of numbers',
    { type: 'object', additionalProperties: num },
    [{}, { x: 1 }],
    [{ x: '1' }],
  ],
  ['anyOf', { anyOf: [str, closed({ a: num })] }, ['x', { a: 1 }], [1, { a: 'x' }]],
  ['oneOf', { oneOf: [{ type: 'boolean' }, { type: 'null' }] }, [true, null], ['x']],
  [
    'allOf',
    {
      allOf: [
        { type: 'object', properties: { a: str }, required: ['a'] },
        { type: 'object', properties: { b: num }, required: ['b'] },
      ],
    },
    [{ a: 'x', b: 1 }],
    [{ a: 'x' }, { b: 1 }],
  ],
  ['anything', true, [1, 'x', null, { a: [] }], []],
  ['nothing else than required', { type: 'object', required: ['a'] }, [{ a: 1 }], [{}]],
];

describe('FC-38: what type-checks is not refused at run time, and the reverse', () => {
  test.each(verdicts)('%s', (_name, v, fits, unfits) => {
    const input = closed({ v });
    const scope = scopeOf(input);
    const schemas = new ToolSchemas({ try_it: { input, policy: 'retry', leaseMs: 1 } });
    const verdict = (value: unknown) => ({
      value,
      types: diagnostics(`await try_it({ v: ${JSON.stringify(value)} })`, scope).length === 0,
      validation: schemas.arguments('try_it', { v: value }) === undefined,
    });
    for (const value of fits)
      expect(verdict(value)).toEqual({ value, types: true, validation: true });
    for (const value of unfits)
      expect(verdict(value)).toEqual({ value, types: false, validation: false });
  });
});

describe('FC-35: schemas that would break a generator', () => {
  const node = closed({ name: str, next: { $ref: '#/$defs/node', description: 'again' } }, [
    'name',
  ]);
  const good: [string, Record<string, unknown>, string][] = [
    [
      'a self-reference with a description',
      { ...closed({ v: { $ref: '#/$defs/node', description: 'x' } }), $defs: { node } },
      '{ v: { name: "a", next: { name: "b" } } }',
    ],
    [
      'mutual references',
      {
        ...closed({ v: { $ref: '#/$defs/a' } }),
        $defs: {
          a: closed({ b: { $ref: '#/$defs/b' } }, []),
          b: closed({ a: { $ref: '#/$defs/a' } }, []),
        },
      },
      '{ v: { b: { a: { b: {} } } } }',
    ],
    [
      'a reference to the root',
      closed({ name: str, kids: { type: 'array', items: { $ref: '#' } } }, ['name']),
      '{ name: "a", kids: [{ name: "b", kids: [] }] }',
    ],
    [
      'a reference that is only itself',
      { ...closed({ v: { $ref: '#/$defs/loop' } }), $defs: { loop: { $ref: '#/$defs/loop' } } },
      '{ v: 1 }',
    ],
    ['boolean schemas', closed({ a: true, b: false }, ['a']), '{ a: 1 }'],
    [
      'diamonds of allOf',
      {
        ...closed({ v: { $ref: '#/$defs/d0' } }),
        $defs: Object.fromEntries([
          ...Array.from({ length: 30 }, (_, n) => [
            `d${n}`,
            { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
          ['d30', closed({ x: num })],
        ]),
      },
      '{ v: { x: 1 } }',
    ],
    [
      '3,000 properties',
      closed(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}`, str])), ['p7']),
      '{ p7: "x" }',
    ],
    [
      'a comment’s end in a description',
      { ...closed({ v: { type: 'string', description: '*/ evil' } }), description: '*/' },
      '{ v: "x" }',
    ],
    [
      'property names that are no identifiers',
      closed({ 'a-b': str, '1': num, '"': str }),
      '{ "a-b": "x", "1": 1, "\\"": "y" }',
    ],
  ];
  test.each(good)('%s gives types that can be used', (_name, input, argument) => {
    expect(checkTools({ tools: { try_it: { description: '', input } } })).toEqual([]);
    expect(diagnostics(`await try_it(${argument})`, scopeOf(input))).toEqual([]);
  });

  test('a recursive type is checked to its depth', () => {
    const scope = scopeOf({ ...closed({ v: { $ref: '#/$defs/node' } }), $defs: { node } });
    expect(
      diagnostics('await try_it({ v: { name: "a", next: { name: 1 } } })', scope),
    ).toHaveLength(1);
  });

  const bad: [string, Record<string, unknown>, string][] = [
    ['a missing reference', closed({ v: { $ref: '#/$defs/none' } }), '/input/properties/v/$ref'],
    [
      'a reference to an address',
      closed({ v: { $ref: 'http://127.0.0.1:1/x.json' } }),
      '/input/properties/v/$ref',
    ],
    [
      'a reference to a file',
      closed({ v: { $ref: 'file:///etc/passwd' } }),
      '/input/properties/v/$ref',
    ],
    ['no object', str, '/input'],
    ['an unknown type', closed({ v: { type: 'text' } }), '/input/properties/v/type'],
    [
      'a pattern that is none',
      closed({ v: { type: 'string', pattern: '(' } }),
      '/input/properties/v/pattern',
    ],
    ['a list where a schema must be', closed({ v: [] }), '/input/properties/v'],
    ['required that is no list', { type: 'object', required: 'a' }, '/input/required'],
  ];
  test.each(bad)('%s is refused with tool and path', (_name, input, path) => {
    expect(checkTools({ tools: { try_it: { description: '', input } } })).toEqual([
      { tool: 'try_it', path, message: expect.any(String) as unknown },
    ]);
  });

  test('nesting without end is refused or cut, never an overflow', () => {
    let deep: Record<string, unknown> = str;
    for (let i = 0; i < 190; i += 1) deep = { type: 'array', items: deep };
    expect(diagnostics('await try_it({ v: [] })', scopeOf(closed({ v: deep })))).toEqual([]);
    for (let i = 0; i < 500; i += 1) deep = { type: 'array', items: deep };
    expect(
      checkTools({ tools: { try_it: { description: '', input: closed({ v: deep }) } } }),
    ).toHaveLength(1);
  });
});

describe('names of tools', () => {
  const spec = { description: '', input: { type: 'object' } };
  const problems = (...names: string[]) =>
    checkTools({ tools: Object.fromEntries(names.map((name) => [name, spec])) });

  test('names of segments are fine, also those that are no identifiers', () => {
    expect(
      problems('a', 'crm.find', 'crm.sub.deep', 'get-weather', '1st', 'x.delete', 'class'),
    ).toEqual([]);
  });

  test.each([
    '',
    'a..b',
    '.a',
    'a b',
    'é',
    'a/b',
    'then',
    'a.then',
    '__proto__',
    'x.constructor',
    'Array',
    'input',
    'sleep',
    'console.log',
    'tools',
    'undefined',
    'x'.repeat(129),
  ])('%p is refused', (name) => {
    expect(problems(name)).toHaveLength(1);
  });

  test('a tool beside a group of the same name is refused', () => {
    expect(problems('crm', 'crm.find')).toEqual([
      { tool: 'crm.find', message: expect.stringContaining('"crm"') as unknown },
    ]);
  });
});
