import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

// FC-15: time and chance are the run's own, and the same when it is replayed.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const record = `
  const record = () => ({
    now: Date.now(), date: new Date().toISOString(), text: String(new Date(0)), called: typeof Date(),
    random: [Math.random(), Math.random()], offset: new Date().getTimezoneOffset(),
    local: new Date(2026, 0, 1).toISOString(),
  });`;

interface Recorded {
  now: number;
  date: string;
  random: number[];
}

test('FC-15: what a script read of clock and chance is the same after a restart', async () => {
  const script = `${record}
    const records = [record()];
    await echo({ value: 1 });
    records.push(record());
    await sleep("1s");
    records.push(record());
    console.log(JSON.stringify(records));
    await waitForSignal("go");
    return records;`;
  const before = Date.now();
  const { id } = await stage.create(script);
  const logged = await eventually(async () => (await stage.runs().log(id)).text);
  await stage.rewind.restartScriptWorker();
  await stage.runs().signal(id, 'go');
  const { output } = await stage.runs().wait(id);
  expect(output).toEqual(JSON.parse(logged));
  const [first, second, third] = output as [Recorded, Recorded, Recorded];
  expect(first.now).toBeGreaterThanOrEqual(before - 1000);
  expect(second.now).toBeGreaterThan(first.now);
  expect(third.now - second.now).toBeGreaterThanOrEqual(1000);
  expect(first).toMatchObject({
    date: new Date(first.now).toISOString(),
    text: 'Thu Jan 01 1970 00:00:00 GMT+0000',
    called: 'string',
    offset: 0,
    local: '2026-01-01T00:00:00.000Z',
  });
  const drawn = [first, second, third].flatMap(({ random }) => random);
  expect(new Set(drawn).size).toBe(6);
  for (const number of drawn) expect(number >= 0 && number < 1).toBe(true);
});

test('FC-15: two runs that begin together draw other numbers', async () => {
  const draws = await Promise.all(
    Array.from({ length: 5 }, () => stage.run('return Math.random();')),
  );
  expect(new Set(draws.map(({ output }) => output)).size).toBe(5);
});

test.each(['performance.now()', 'crypto.randomUUID()', 'Intl.DateTimeFormat()', 'Temporal.Now'])(
  'FC-15: %s is not offered, and refused before the run',
  async (code) => {
    await expect(stage.create(`return ${code};`)).rejects.toMatchObject({ code: 'script_refused' });
  },
);

test('FC-15: a loop that waits for the clock is stopped, with a hint to sleep', async () => {
  const run = await stage.run('const t = Date.now();\nwhile (Date.now() < t + 1000);\nreturn 1;');
  expect(run).toMatchObject({ state: 'failed', error: { limit: 'cpu', line: 2 } });
  expect(run.error?.message).toContain('sleep');
});
