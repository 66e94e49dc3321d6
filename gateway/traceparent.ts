import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C trace context of a request; a new one where it brought none that is valid. */
export function traceparentOf(request: IncomingMessage): string {
  const sent = request.headersDistinct['traceparent'] ?? [];
  const [text] = sent;
  if (text !== undefined && sent.length === 1 && pattern.test(text)) return text;
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
