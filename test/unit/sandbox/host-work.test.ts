import { describe, expect, test } from '@jest/globals';
import { run } from './support';

describe('FC-29: what the host does for a script costs fuel as well', () => {
  test.each([
    ['calls', 'for (;;) ask({});'],
    ['calls with large arguments', 'const a = "a".repeat(9e5); for (;;) ask({ a });'],
    ['calls that are refused', 'const a = "a".repeat(2e6); for (;;) ask({ a }).catch(() => 0);'],
    ['sleeps', 'for (;;) sleep("1ms");'],
    ['log lines', 'for (let n = 0; ; n++) console.log(n);'],
    ['log texts of many lines', 'for (;;) console.log("\\n".repeat(16000));'],
    ['log texts of half surrogates', 'for (;;) console.log("\\ud800".repeat(16000));'],
    ['the clock', 'for (;;) Date.now();'],
    ['rejections', 'for (;;) Promise.reject(1);'],
    ['rejections that are kept', 'const kept = []; for (;;) kept.push(Promise.reject(1));'],
    ['rejections that are handled later', 'for (;;) Promise.reject(1).catch(() => 0);'],
  ])('%s end at the limit, after as many each time', async (_, body) => {
    const limits = { fuelPerTurn: 280_000_000 };
    const first = await run(body, { limits });
    expect(first.end).toMatchObject({ ok: false, error: { name: 'LimitError', limit: 'cpu' } });
    const second = await run(body, { limits });
    expect([second.end, second.log, second.calls]).toEqual([first.end, first.log, first.calls]);
  });

  test('of a flood of rejections that nobody handles some are told', async () => {
    const { turns, end } = await run(
      'const kept = []; for (let i = 0; i < 20000; i++) kept.push(Promise.reject(i)); await ask({}); return 1',
    );
    expect(end).toEqual({ ok: true, json: '1' });
    expect(turns[0]?.unhandled).toHaveLength(500);
  });
});
