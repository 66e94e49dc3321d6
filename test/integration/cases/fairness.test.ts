import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { crowd } from '../host-tools/crowd';
import { openTheatre, type Theatre } from '../host-tools/theatre';

// With two thousand calls in test/load/fairness.test.ts.
let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 120_000);
afterAll(() => theatre.stop(), 60_000);

test("FC-11: one user's single call does not wait behind another's backlog", async () => {
  const { calls, overtaken } = await crowd(theatre, 1, 300);
  expect(calls).toBe(301);
  // It may have been asked for when some fifty were claimed; first come, first served would leave none.
  expect(overtaken).toBeGreaterThan(50);
});
