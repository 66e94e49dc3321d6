import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { crowd } from '../integration/host-tools/crowd';
import { openTheatre, type Theatre } from '../integration/host-tools/theatre';

const MINUTE = 60_000;

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
}, 2 * MINUTE);
afterAll(() => theatre.stop(), MINUTE);

test(
  "FC-11: one user's single call is claimed within 2 s, with another's two thousand in the queue, and all go on",
  async () => {
    const seen = await crowd(theatre, 2, 1000);
    process.stdout.write(`${JSON.stringify(seen)}\n`);
    expect(seen.calls).toBe(2001);
    expect(seen.claimedAfterMs).toBeLessThan(2000);
    expect(seen.overtaken).toBeGreaterThan(1500);
  },
  5 * MINUTE,
);
