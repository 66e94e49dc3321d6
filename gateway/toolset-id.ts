import { createHash } from 'node:crypto';
import type { ToolSpec, WorkflowRef } from '../sdk/protocol';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The id that the content gives: equal content, in any order of its keys, has one id. */
export function toolsetId(content: {
  tools: Record<string, ToolSpec>;
  workflows?: WorkflowRef[];
}): string {
  const { tools, workflows = [] } = content;
  const text = canonicalJson(workflows.length > 0 ? { tools, workflows } : { tools });
  return `ts_${base32(createHash('sha256').update(text).digest(), 26)}`;
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`);
  return `{${entries.join(',')}}`;
}

function base32(bytes: Uint8Array, length: number): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return text.slice(0, length);
}
