import { expect, test } from '@jest/globals';
import { output, run } from './support';

test('FC-15: clock, dates, time zone and random numbers are the host’s to give', async () => {
  const body = `return [Date.now(), new Date().toISOString(), new Date(0).getHours(), new Date().getTimezoneOffset(), String(new Date(0)), Math.random(), Math.random()]`;
  const first = await output(body);
  expect(await output(body)).toEqual(first);
  expect(first).toEqual([
    ...[Date.UTC(2026, 0, 2, 3, 4, 5), '2026-01-02T03:04:05.000Z', 0, 0],
    expect.stringMatching(/^Thu Jan 01 1970 00:00:00 GMT\+0000/),
    ...[expect.any(Number), expect.any(Number)],
  ]);
  const other = (await output(body, { seed: 'f'.repeat(32) })) as unknown[];
  expect(other.at(-1)).not.toBe((first as unknown[]).at(-1));
  expect(
    await output(
      'return ["performance", "crypto", "Temporal", "Intl"].map((name) => typeof globalThis[name])',
    ),
  ).toEqual(Array.from({ length: 4 }, () => 'undefined'));
});

test('time moves on with the host’s clock over calls', async () => {
  let now = 1000;
  expect(
    await output('const a = Date.now(); await ask({}); return [a, Date.now()]', {
      now: () => now,
      answer: () => {
        now = 5000;
        return { ok: true };
      },
    }),
  ).toEqual([1000, 5000]);
});

test('random numbers spread over [0, 1) evenly', async () => {
  const buckets = (await output(
    'const n = Array(10).fill(0); for (let i = 0; i < 20000; i++) { const r = Math.random(); n[Math.floor(r * 10)]++; } return n',
  )) as number[];
  expect(buckets).toHaveLength(10);
  for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(250);
});

test('the same answers give the same turns, to the byte', async () => {
  const body = `
    const seen = [];
    for (let i = 0; i < 20; i++) {
      const batch = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, (_, n) => crm.find({ i, n, r: Math.random() }));
      seen.push(await (Math.random() < 0.5 ? Promise.all(batch) : Promise.race(batch)));
      console.log(i, seen.length, Date.now());
    }
    return seen;`;
  const [first, second] = [await run(body), await run(body)];
  expect(first.end.ok).toBe(true);
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
});
