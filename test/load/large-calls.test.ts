import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openTheatre, type Theatre } from '../integration/host-tools/theatre';

const MINUTE = 60_000;

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 2 * MINUTE);
afterAll(() => theatre.stop(), MINUTE);

test(
  '1,000 calls in flight with arguments and results of 50 KiB, which the store holds, go through',
  async () => {
    const toolset = await theatre.declare({ 'load.large': {} });
    theatre.worker({ 'load.large': (input: unknown) => input }, { concurrency: 50 });
    // Made in four turns: the arguments of one turn cost computing time as well.
    const { id } = await theatre.runs().create({
      toolset,
      script: `
        const text = "x".repeat(50 * 1024);
        const back: Promise<boolean>[] = [];
        for (let n = 0; n < 1_000; n++) {
          back.push(load.large({ n, text }).then((value: { n: number; text: string }) => value.text === text));
          if (n % 250 === 249) await sleep("1ms");
        }
        return (await Promise.all(back)).filter(Boolean).length;`,
    });
    expect(await theatre.runs().wait(id)).toMatchObject({ state: 'completed', output: 1_000 });
  },
  10 * MINUTE,
);
