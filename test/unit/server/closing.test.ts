import { expect, test } from '@jest/globals';
import { createClosing } from '../../../server/closing';

test('parts are closed in the order opposite to that in which they were started', async () => {
  const closing = createClosing();
  const order: string[] = [];
  for (const name of ['database', 'worker', 'gateway']) closing.add(name, () => order.push(name));
  await closing.close();
  expect(order).toEqual(['gateway', 'worker', 'database']);
});

test('a part that does not close keeps none of the others open, and is named', async () => {
  const closing = createClosing();
  const closed: string[] = [];
  closing.add('the database', () => closed.push('the database'));
  closing.add('the gateway', () => Promise.reject(new Error('stuck')));
  await expect(closing.close()).rejects.toMatchObject({
    errors: [expect.objectContaining({ message: 'the gateway did not close' })],
  });
  expect(closed).toEqual(['the database']);
});

test('closing twice closes once', async () => {
  const closing = createClosing();
  let times = 0;
  closing.add('the gateway', () => (times += 1));
  await Promise.all([closing.close(), closing.close()]);
  expect(times).toBe(1);
});
