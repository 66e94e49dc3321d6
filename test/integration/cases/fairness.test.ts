import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { openTheatre, type Theatre } from '../host-tools/theatre';

const CALLS = 2000;
const CONCURRENCY = 10;
const HANDLER_MS = 50;

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 120_000);
afterAll(() => theatre.stop(), 60_000);

test("FC-11: one user's single call does not wait behind another's two thousand, and nothing is slower for it", async () => {
  const toolset = await theatre.declare({ 'crowd.work': {} });
  const script = (calls: number) =>
    `const all = Array.from({ length: ${calls} }, (_, n) => crowd.work({ n })); return (await Promise.all(all)).length;`;
  // Parked calls go out when a worker comes: first the backlog, then the worker.
  const backlog = await Promise.all(
    [1, 2].map(() => theatre.runs('ada').create({ script: script(CALLS / 2), toolset })),
  );
  for (const { id } of backlog) {
    await eventually(async () => (await theatre.runs('ada').retrieve(id)).calls === CALLS / 2);
  }
  const entered: { namespace: string; at: number }[] = [];
  theatre.worker(
    {
      'crowd.work': async (input: unknown, ctx) => {
        entered.push({ namespace: ctx.namespace, at: Date.now() });
        await sleep(HANDLER_MS);
        return input;
      },
    },
    { concurrency: CONCURRENCY, pollWait: '30s' },
  );
  await eventually(() => entered.length >= 50);
  await sleep(1000);
  const asked = Date.now();
  const single = await theatre.runs('bob').create({ script: script(1), toolset });
  expect(await theatre.runs('bob').wait(single.id)).toMatchObject({ state: 'completed' });
  const behind = CALLS + 1 - entered.length;
  const claimed = entered.find(({ namespace }) => namespace === 'bob')!.at - asked;
  for (const { id } of backlog) {
    expect(await theatre.runs('ada').wait(id)).toMatchObject({ output: CALLS / 2 });
  }
  const ms = entered.at(-1)!.at - entered[0]!.at;
  const perSecond = Math.round((entered.length / ms) * 1000);
  process.stdout.write(
    `a single call claimed after ${claimed} ms, ${behind} of the backlog behind it; ${perSecond} calls/s\n`,
  );
  expect(claimed).toBeLessThan(2000);
  expect(behind).toBeGreaterThan(0);
  expect(entered).toHaveLength(CALLS + 1);
  // 200/s is what ten handlers of 50 ms can do at most.
  expect(perSecond).toBeGreaterThan(50);
}, 120_000);
