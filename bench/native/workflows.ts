/** What a user of Temporal writes by hand for the same work. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

// A server under load now and then loses a task on its way to a worker: it is healed after the same
// time on both sides, by Temporal here and by the lease of the tools there.
const { echo } = proxyActivities<{ echo(input: { n: number }): Promise<{ n: number }> }>({
  taskQueue: 'native-activities',
  startToCloseTimeout: '1m',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 5 },
});

export function hello(): Promise<string> {
  return Promise.resolve('hello');
}

export async function sequential(calls: number): Promise<number> {
  let sum = 0;
  for (let n = 0; n < calls; n += 1) sum += (await echo({ n: 1 })).n;
  return sum;
}

export async function parallel(calls: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, (_, n) => echo({ n })));
  return answers.length;
}

export const go = defineSignal('go');

export async function waiting(): Promise<string> {
  let gone = false;
  setHandler(go, () => {
    gone = true;
  });
  await condition(() => gone);
  return 'gone';
}
