import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import type { Theatre } from './theatre';

const CONCURRENCY = 10;
const HANDLER_MS = 50;
/** The single call comes when the backlog is being worked on. */
const BEHIND = 50;

/** What came of one user's single call behind another's backlog. */
export interface Crowd {
  /** From the request that starts the single call's run to its handler. */
  claimedAfterMs: number;
  /** Calls of the backlog that were claimed later. */
  overtaken: number;
  calls: number;
  /** 200 at most: what ten handlers of 50 ms can do. */
  perSecond: number;
}

/** One user queues calls, another one a single call behind them; one worker serves both. */
export async function crowd(theatre: Theatre, runs: number, callsEach: number): Promise<Crowd> {
  const toolset = await theatre.declare({ 'crowd.work': {} });
  const script = (calls: number) =>
    `const all = Array.from({ length: ${calls} }, (_, n) => crowd.work({ n })); return (await Promise.all(all)).length;`;
  // Parked calls go out when a worker comes: first the backlog, then the worker.
  const backlog = await Promise.all(
    Array.from({ length: runs }, () =>
      theatre.runs('ada').create({ script: script(callsEach), toolset }),
    ),
  );
  for (const { id } of backlog) {
    await eventually(async () => (await theatre.runs('ada').retrieve(id)).calls === callsEach);
  }
  const entered: { namespace: string; at: number }[] = [];
  const worker = theatre.worker(
    {
      'crowd.work': async (input: unknown, ctx) => {
        entered.push({ namespace: ctx.namespace, at: Date.now() });
        await sleep(HANDLER_MS);
        return input;
      },
    },
    { concurrency: CONCURRENCY, pollWait: '30s' },
  );
  await eventually(() => entered.length >= BEHIND);
  const asked = Date.now();
  const single = await theatre.runs('bob').create({ script: script(1), toolset });
  for (const { id } of backlog) await theatre.runs('ada').wait(id);
  await theatre.runs('bob').wait(single.id);
  await worker.stop();
  const at = entered.findIndex(({ namespace }) => namespace === 'bob');
  const ms = (entered.at(-1)?.at ?? 0) - (entered[0]?.at ?? 0);
  return {
    claimedAfterMs: (entered[at]?.at ?? Infinity) - asked,
    overtaken: entered.length - 1 - at,
    calls: entered.length,
    perSecond: Math.round((entered.length / ms) * 1000),
  };
}
