import { expect, test } from '@jest/globals';
import { Slots } from '../../../workflows/slots';

test('at most so many go on at once; the others follow in order', async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const finish: (() => void)[] = [];
  const all = [1, 2, 3, 4].map((number) =>
    slots.use(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => finish.push(resolve));
      return number;
    }),
  );
  expect(begun).toEqual([1, 2]);
  finish[1]?.();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3]);
  finish[0]?.();
  await all[0];
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3, 4]);
  finish[2]?.();
  finish[3]?.();
  await expect(Promise.all(all)).resolves.toEqual([1, 2, 3, 4]);
});

test('a failure frees its slot', async () => {
  const slots = new Slots(1);
  await expect(slots.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(slots.use(() => Promise.resolve('next'))).resolves.toBe('next');
});
