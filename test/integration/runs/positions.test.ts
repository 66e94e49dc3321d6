import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ScriptRefusedError, type RunError } from '@rewind.codes/sdk';
import { startStage, type Stage } from './stage';

// Errors point to the text that was sent, whatever was done to it before it ran.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** Forty lines, of which many leave nothing behind in JavaScript; `tail` stands from line 31 on. */
function script(tail: string[]): string {
  const lines = [
    'import { ToolError } from "rewind";',
    '',
    'interface Customer {',
    '  id: string;',
    '  email: string;',
    '}',
    '',
    'enum Plan {',
    '  Free,',
    '  Paid = "paid",',
    '}',
    '',
    'type Pair<',
    '  A extends object,',
    '  B = A,',
    '> = readonly [A, B];',
    '',
    'function pair<',
    '  A extends object,',
    '  B,',
    '>(',
    '  a: A,',
    '  b: B,',
    '): Pair<A, B> {',
    '  return [a, b] as const;',
    '}',
    '',
    'const customers: Customer[] = [];',
    'const plan: Plan = Plan.Paid;',
    'pair({ plan }, customers);',
    ...tail,
  ];
  while (lines.length < 40) lines.push(`// line ${lines.length + 1}`);
  return lines.join('\n');
}

const plain = script(['', '', 'throw new Error("here" + customers.length);']);
const nested = script([
  'const inner = async (n: number): Promise<void> => {',
  '  await sleep("1ms");',
  '  customers[n]!.email.trim();',
  '};',
  'await Promise.all([1, 2].map(async (n) => { await inner(n); }));',
]);
const rethrown = script([
  'try {',
  '  await echo({ value: 1 });',
  '  await work.fail({ message: "no customer", data: { code: "not_found" } });',
  '} catch (error) {',
  '  if (!(error instanceof ToolError)) throw new Error("not a ToolError");',
  '  throw error;',
  '}',
]);

const forms: [string, (text: string) => string, number][] = [
  ['as it is', (text) => text, 0],
  ['with CRLF', (text) => text.replaceAll('\n', '\r\n'), 0],
  ['with a byte order mark', (text) => `\uFEFF${text}`, 0],
  ['in a fence', (text) => `\`\`\`ts\n${text}\n\`\`\`\n`, 1],
  [
    'in a fence after a sentence, with CRLF',
    (text) => `Here it is:\r\n\r\n\`\`\`typescript\r\n${text.replaceAll('\n', '\r\n')}\r\n\`\`\``,
    3,
  ],
];

async function errorOf(text: string): Promise<RunError> {
  const run = await stage.run(text);
  expect(run.state).toBe('failed');
  return run.error!;
}

describe.each(forms)('FC-25: a script %s', (_, form, shift) => {
  test('tells the line and column of a throw', async () => {
    const error = await errorOf(form(plain));
    expect(error).toMatchObject({ name: 'Error', message: 'here0', line: 33 + shift, column: 7 });
    expect(error.frame).toContain(`> ${33 + shift} | throw new Error("here" + customers.length);`);
  });

  test('tells the innermost place of a failure in nested asynchronous functions', async () => {
    const error = await errorOf(form(nested));
    expect(error).toMatchObject({ name: 'TypeError', line: 33 + shift });
    expect(error.frame).toContain(`> ${33 + shift} |   customers[n]!.email.trim();`);
  });

  test('tells where the call of a rethrown ToolError was made, and which call it was', async () => {
    const error = await errorOf(form(rethrown));
    expect(error).toMatchObject({
      name: 'ToolError',
      message: 'no customer',
      code: 'failed',
      data: { code: 'not_found' },
      seq: 2,
      line: 33 + shift,
      column: 9,
    });
    expect(error.frame).toContain(`> ${33 + shift} |   await work.fail(`);
  });

  test('tells a syntax error on the last line', async () => {
    const lines = plain.split('\n').slice(0, 39);
    const text = form([...lines, 'return {;'].join('\n'));
    const error: unknown = await stage.create(text).catch((problem: unknown) => problem);
    if (!ScriptRefusedError.isInstance(error)) throw new Error('it was not refused');
    const [problem] = error.diagnostics;
    expect(problem).toMatchObject({ line: 40 + shift, column: 9 });
    expect(problem?.frame).toContain(`> ${40 + shift} | return {;`);
  });
});

test('a frame has two lines before and after, and a mark below the place', async () => {
  const { frame } = await errorOf(
    'const a = 1;\nconst b = 2;\nthrow new Error("x");\nconst c = 3;\nconst d = 4;\nconst e = 5;',
  );
  expect(frame).toBe(
    [
      '  1 | const a = 1;',
      '  2 | const b = 2;',
      '> 3 | throw new Error("x");',
      '    |       ^',
      '  4 | const c = 3;',
      '  5 | const d = 4;',
    ].join('\n'),
  );
});

test.each([
  ['a text', 'throw "plain";', 'thrown: plain'],
  ['an object', 'throw { code: 5 };', 'thrown: {code: 5}'],
  ['nothing', 'throw undefined;', 'thrown: undefined'],
  [
    'an error of its own class',
    'class Mine extends Error { override name = "Mine"; } throw new Mine("own");',
    'own',
  ],
])('a script may throw %s', async (_, text, message) => {
  const error = await errorOf(text);
  expect(error.message).toBe(message);
  expect(error).not.toHaveProperty('seq');
});

test('an error with a cause, thrown for a ToolError, is its own', async () => {
  const error = await errorOf(
    'try { await work.fail({ message: "no" }); }\ncatch (cause) { throw new Error("wrapped", { cause }); }',
  );
  expect(error).toMatchObject({ name: 'Error', message: 'wrapped', line: 2 });
  expect(error).not.toHaveProperty('code');
});

test('a call over many lines is where it begins: in errors, traces and waits', async () => {
  const text = `const email = "bob@example.com";
const [first] = await Promise.all([
  echo({
    value: email,
  }),
  work.fail({
    message:
      "no " +
      email,
  }),
]);`;
  const { id, error } = await stage.run(text);
  expect(error).toMatchObject({ line: 6, column: 3, seq: 2 });
  expect((await stage.runs().trace(id)).data.map(({ line }) => line)).toEqual([3, 6]);
  const thrown = await errorOf(
    'const a = [1];\nthrow new RangeError(\n  `no ${a}` +\n    a[0],\n);',
  );
  expect(thrown).toMatchObject({ name: 'RangeError', line: 2, column: 7 });
});

test('a limit tells the line that was running', async () => {
  const error = await errorOf('const a = 1;\nfor (;;) {}');
  expect(error).toMatchObject({ name: 'LimitError', code: 'limit', limit: 'cpu', line: 2 });
  const deep = await errorOf('const f = (n: number): number =>\n  1 + f(n + 1);\nreturn f(0);');
  expect(deep).toMatchObject({ code: 'limit', limit: 'stack', line: 2 });
});
