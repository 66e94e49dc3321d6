import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { fitting, watchMemory } from '../../../server/memory-watch';
import { eventually } from '../../support/eventually';

const MiB = 1024 * 1024;

test('as many runs are kept as fit, by what those in memory need', () => {
  const now = { runs: 100, used: 900 * MiB, empty: 300 * MiB, limit: 1000 * MiB };
  // 6 MiB each, and 250 MiB for them.
  expect(fitting(now)).toBe(41);
});

test('there are always fewer than before, and never none', () => {
  expect(fitting({ runs: 100, used: 310, empty: 300, limit: 1000 })).toBe(80);
  expect(fitting({ runs: 100, used: 900, empty: 800, limit: 1000 })).toBe(2);
});

test('a cache shrinks once the memory runs short, and not while it shrinks', async () => {
  let used = 200;
  const shrunk: number[] = [];
  let finish: () => void = () => undefined;
  const watch = watchMemory({
    limit: 1000,
    cached: () => 50,
    resident: () => used,
    shrink: (runs) => {
      shrunk.push(runs);
      return new Promise((resolve) => (finish = resolve));
    },
    everyMs: 5,
  });
  await sleep(50);
  expect(shrunk).toEqual([]);
  used = 800;
  await eventually(() => shrunk.length === 1);
  await sleep(50);
  finish();
  watch.stop();
  expect(shrunk).toEqual([29]);
});

test('a cache that is as small as can be is left alone', async () => {
  const shrunk: number[] = [];
  const watch = watchMemory({
    limit: 1000,
    cached: () => 2,
    resident: () => 990,
    shrink: (runs) => Promise.resolve(void shrunk.push(runs)),
    everyMs: 5,
  });
  await sleep(50);
  watch.stop();
  expect(shrunk).toEqual([]);
});
