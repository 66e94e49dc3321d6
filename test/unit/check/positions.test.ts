import { describe, expect, test } from '@jest/globals';
import { diagnostics, run } from './support';

/** 40 lines; what stands on line 33 throws. */
const forty = (line33: string) =>
  [
    'import { ToolError } from "rewind";',
    'interface Customer<',
    '  T extends object,',
    '> {',
    '  id: string;',
    '  extra: T;',
    '}',
    'enum Stage {',
    '  Draft,',
    '  Sent = "sent",',
    '}',
    'type Pair<A, B> = {',
    '  a: A;',
    '  b: B;',
    '};',
    'function pick<',
    '  T,',
    '  K extends keyof T,',
    '>(value: T, key: K): T[K] {',
    '  return value[key];',
    '}',
    'const customers: Customer<{ stage: Stage }>[] = [',
    '  { id: "1", extra: { stage: Stage.Draft } },',
    '];',
    'const pair: Pair<number, string> = { a: 1, b: "2" };',
    'export const unused = pick(pair, "a");',
    'let text = `',
    'a template',
    'over lines`;',
    'const work = async (n: number) => {',
    '  await crm.find_customer({ email: text });',
    '  // the next line throws',
    line33,
    '  return n;',
    '};',
    'await Promise.all(',
    '  customers.map(async (_, i) => {',
    '    await work(i);',
    '  }),',
    '); export default 1',
  ].join('\n');

const line33 = '  if (n === 0) throw new TypeError("here");';
const column = line33.indexOf('new TypeError') + 1;

describe('FC-25: places are those of the text that was sent', () => {
  const forms: [string, (script: string) => string, number][] = [
    ['as it is', (script) => script, 0],
    ['with CRLF', (script) => script.replace(/\n/g, '\r\n'), 0],
    ['with a byte order mark', (script) => `\uFEFF${script}`, 0],
    [
      'in a fence after a sentence',
      (script) => `Here is the script:\n\n\`\`\`ts\n${script}\n\`\`\`\nDone.`,
      3,
    ],
    [
      'in a fence with CRLF',
      (script) => `\`\`\`typescript\n${script}\n\`\`\``.replace(/\n/g, '\r\n'),
      1,
    ],
  ];

  test.each(forms)('of an error in a nested async callback, %s', async (_name, form, shift) => {
    const { error, at } = await run(form(forty(line33)));
    expect(error).toMatchObject({ name: 'TypeError', message: 'here' });
    expect(at?.line).toBe(33 + shift);
    expect(Math.abs((at?.column ?? 0) - column)).toBeLessThanOrEqual('new TypeError'.length);
  });

  test.each(forms)('of a refusal, %s', (_name, form, shift) => {
    const [problem] = diagnostics(form(forty('  const wrong: number = "text";')));
    expect(problem).toMatchObject({ line: 33 + shift, column: 9, code: 'TS2322' });
    expect(problem?.frame).toContain(`> ${33 + shift} |   const wrong: number = "text";`);
  });

  test.each(forms)('of a syntax error on the last line, %s', (_name, form, shift) => {
    const [problem] = diagnostics(form(forty(line33).replace('); export default 1', ') + ;')));
    expect(problem).toMatchObject({ line: 40 + shift, column: 5, code: 'TS1109' });
  });

  test.each(forms)(
    'of a call, and of a ToolError that is thrown again, %s',
    async (_name, form, shift) => {
      const failure = { message: 'no', code: 'failed', outcomeUnknown: false, seq: 1 };
      const script = forty(
        '  try { await ask_user({ question: "q" }) } catch (e) { throw e as ToolError }',
      );
      const { at, calls } = await run(form(script), {
        answer: (call) =>
          call.name === 'ask_user' ? { ok: false, failure } : { ok: true, json: '{}' },
      });
      expect(calls.map((call) => call.at?.line)).toEqual([31 + shift, 33 + shift]);
      expect(at?.line).toBe(33 + shift);
    },
  );
});

test('a loop that only computes is stopped at its line', async () => {
  expect(await run('let n = 0;\n\nfor (;;) {\n  n += 1;\n}')).toMatchObject({
    error: { limit: 'cpu' },
    at: { line: 3 },
  });
});
