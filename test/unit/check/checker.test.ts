import { afterAll, expect, test } from '@jest/globals';
import { createChecker } from '../../../check';
import { scope, tools } from './support';

const checker = createChecker({ threads: 1, timeoutMs: 8000, memoryMb: 256 });
afterAll(() => checker.close());

/** Types that no checker comes to the end of; `mark` makes it another script. */
const explosion = (mark = '') =>
  `type Grow<T extends unknown[], N extends number> = T['length'] extends N ? T : Grow<[...T, 0], N>;
    type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9';
    ${Array.from(
      { length: 400 },
      (_, n) => `type X${n} = Grow<[], ${900 + (n % 90)}>; const x${n}: X${n}['length'] = 1;
    type P${n} = \`\${D}\${D}\${D}\${D}${n}\`; const p${n}: P${n} = 'a';`,
    ).join('\n')}` + mark;

test('threads check scripts, tools and declarations', async () => {
  expect(await checker.check('return 1', scope)).toMatchObject({
    ok: true,
    tools: Object.keys(tools),
  });
  expect(await checker.check('return x', scope)).toMatchObject({
    ok: false,
    diagnostics: [{ line: 1, column: 8 }],
  });
  expect(await checker.checkTools(tools)).toEqual([]);
  expect(await checker.declarations(scope)).toContain(
    'crm.find_customer(input: { email: string }): Promise<{ id: string;',
  );
  const some = await checker.declarations(scope, ['mail']);
  expect(some).toContain('mail.send');
  expect(some).not.toContain('crm');
});

test('types that explode are stopped by the time limit, and the next check works', async () => {
  const stopped = await checker.check(explosion(), scope);
  expect(stopped).toMatchObject({ ok: false });
  expect(await checker.check('return 2', scope)).toMatchObject({ ok: true });
});

test('a check that needs too much time says so', async () => {
  const hasty = createChecker({ threads: 1, timeoutMs: 1 });
  try {
    expect(await hasty.check('return 1', scope)).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'RW1010', message: 'the script took longer than 0.001 s to check' }],
    });
  } finally {
    await hasty.close();
  }
});

test('the same script is not checked twice', async () => {
  const first = await checker.check('return 3', scope);
  expect(await checker.check('return 3', scope)).toBe(first);
});

test('the same script is checked once, also when it comes again meanwhile', async () => {
  const [first, second] = await Promise.all([
    checker.check('return 4', scope),
    checker.check('return 4', scope),
  ]);
  expect(first).toMatchObject({ ok: true });
  expect(second).toBe(first);
});

test('what waits for its turn is not blamed for the time of those before it', async () => {
  const [stopped, next] = await Promise.all([
    checker.check(explosion('// again'), scope),
    checker.check('return 5', scope),
  ]);
  expect(stopped).toMatchObject({ ok: false });
  expect(next).toMatchObject({ ok: true });
});
