import { describe, expect, test } from '@jest/globals';
import { codeFrame } from '../../../check';
import { diagnostics } from './support';

test('a refusal has place, frame, declaration and hint as the surface shows them', () => {
  const script = `const { email } = input;
console.log("looking up", email);
const customer = await crm.find_customer({ mail: email });
const page = await fetch("https://example.com");`;
  expect(diagnostics(script)).toEqual([
    {
      line: 3,
      column: 44,
      code: 'TS2561',
      message:
        "Object literal may only specify known properties, but 'mail' does not exist in type '{ email: string; }'. Did you mean to write 'email'?",
      frame: `  1 | const { email } = input;
  2 | console.log("looking up", email);
> 3 | const customer = await crm.find_customer({ mail: email });
    |                                            ^^^^
  4 | const page = await fetch("https://example.com");`,
      declared:
        'crm.find_customer(input: { email: string }): Promise<{ id: string; name: string; email: string }>',
    },
    {
      line: 4,
      column: 20,
      code: 'TS2304',
      message: "Cannot find name 'fetch'.",
      frame: `  2 | console.log("looking up", email);
  3 | const customer = await crm.find_customer({ mail: email });
> 4 | const page = await fetch("https://example.com");
    |                    ^^^^^`,
      hint: 'scripts have no network. Call a tool instead.',
    },
  ]);
});

describe('what scripts do not have is a type error with a hint', () => {
  const tried = [
    ...[
      'fetch("x")',
      'setTimeout(() => 1, 1)',
      'require("fs")',
      'process.env',
      'fs.readFileSync("x")',
    ],
    ...[
      'Buffer.from("x")',
      'crypto.randomUUID()',
      'eval("1")',
      'BigInt(1)',
      '7n',
      'new Function("return 1")',
    ],
    ...['new Intl.DateTimeFormat()', 'performance.now()', 'structuredClone({})', 'new WeakRef({})'],
  ];
  test.each(tried)('%s', (expression) => {
    const [problem] = diagnostics(`return ${expression};`);
    expect(problem).toMatchObject({ line: 1, hint: expect.any(String) as unknown });
  });

  test.each([
    'SharedArrayBuffer',
    'Atomics',
    'queueMicrotask',
    'WebAssembly',
    'Temporal',
    'BigInt64Array',
    'URL',
  ])('%s has no value', (name) => {
    expect(diagnostics(`return typeof ${name};`)).toHaveLength(1);
  });
});

test('at most ten problems are told, the first in the text first', () => {
  const found = diagnostics(Array.from({ length: 30 }, (_, n) => `nope${n}();`).join('\n'));
  expect(found.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a frame has five lines of 200 characters, and shows control and bidirectional characters', () => {
  const lines = ['one', 'two', 'x'.repeat(300), 'a\u202eb\u0007c', 'five', 'six', 'seven'];
  const frame = codeFrame(lines.join('\n'), 4, 3).split('\n');
  expect(frame.map((row) => row.slice(0, 6))).toEqual([
    '  2 | ',
    '  3 | ',
    '> 4 | ',
    '    | ',
    '  5 | ',
    '  6 | ',
  ]);
  expect(frame[1]).toHaveLength('  3 | '.length + 201);
  expect(frame[2]).toBe('> 4 | a\\u{202e}b\\u{7}c');
  expect(frame[3]?.indexOf('^')).toBe('> 4 | a\\u{202e}'.length);
});

test('a frame of a place outside of the text does not fail', () => {
  expect(codeFrame('', 1, 1)).toContain('> 1 |');
  expect(codeFrame('a', 1, 50)).toContain('> 1 | a');
});
