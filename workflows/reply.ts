import type { Reply } from './contract';

/** What a query gives, as binary: so it passes by the store of large values. */
export function reply(value: unknown): Reply {
  // A copy: the encoder is the host's, and so is the array that it makes.
  return new Uint8Array(new TextEncoder().encode(JSON.stringify(value)));
}
