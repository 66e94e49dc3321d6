import type { Labels } from '../protocol/labels';

/**
 * The idempotency key of a tool call: of the agent's labels, in any order, and the model's id. The server
 * adds the end user. It is a hash, since a model's id may be anything.
 */
export async function keyOf(labels: Readonly<Labels>, callId: string): Promise<string> {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = JSON.stringify(['agent tool call', sorted, callId]);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `at_${hex.join('').slice(0, 40)}`;
}
