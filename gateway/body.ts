import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { limits } from '../sdk/protocol';
import { ApiError, invalidRequest, tooLarge } from './errors';

/** Deeper values overflow the stack of one reader or another further on. */
const DEPTH = 512;

/**
 * Reads the JSON body of a request. Called once the credential is checked, so that nothing of
 * strangers is read or inflated; answers as soon as the body is too large or too late, while the rest
 * of it is still on its way.
 */
export async function readJson(request: IncomingMessage, timeoutMs: number): Promise<unknown> {
  const inflate = checkHeaders(request);
  const bytes = await collect(request, inflate, timeoutMs);
  if (bytes.byteLength === 0) throw invalidRequest('the body is empty; send a JSON object');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('the body is not valid UTF-8');
  }
  if (depthOf(text) > DEPTH) {
    throw invalidRequest(`the body is nested more than ${DEPTH} levels deep`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes the body.
    throw invalidRequest('the body is not valid JSON');
  }
}

/** Gives whether the body is to be inflated. */
function checkHeaders(request: IncomingMessage): boolean {
  const { headers } = request;
  const type = headers['content-type'];
  const length = headers['content-length'];
  if (type === undefined && (length ?? '0') === '0' && !headers['transfer-encoding']) {
    throw invalidRequest('the body is empty; send a JSON object');
  }
  if (!/^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?;?\s*$/i.test(type ?? '')) {
    throw unsupported('the body must be application/json in UTF-8');
  }
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw unsupported('the body may be compressed by gzip alone');
  }
  if (Number(length) > limits.bodyBytes) {
    throw tooLarge('the body', Number(length), limits.bodyBytes);
  }
  return encoding === 'gzip';
}

const unsupported = (message: string) => new ApiError('unsupported_media_type', message);

function collect(
  request: IncomingMessage,
  inflate: boolean,
  timeoutMs: number,
): Promise<Uint8Array> {
  const gunzip: Transform | undefined = inflate ? createGunzip() : undefined;
  const source = gunzip ?? request;
  return new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const late = setTimeout(() => {
      stop(new ApiError('request_timeout', `the body took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > limits.bodyBytes) stop(tooLarge('the body', undefined, limits.bodyBytes));
      else chunks.push(chunk);
    };
    const onEnd = () => {
      if (request.complete) done(() => resolve(Buffer.concat(chunks)));
      else onClose();
    };
    const onClose = () => {
      if (!request.complete) stop(invalidRequest('the body was cut off'));
    };
    const onError = () => {
      stop(invalidRequest(inflate ? 'the body is not valid gzip' : 'the body was cut off'));
    };
    const done = (settle: () => void) => {
      clearTimeout(late);
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose).off('error', onError);
      settle();
    };
    const stop = (error: ApiError) => {
      done(() => reject(error));
      if (gunzip) {
        request.unpipe(gunzip);
        gunzip.destroy();
      }
    };
    source.on('data', onData).on('end', onEnd);
    // Stays, for what a stream that was given up may still say.
    source.on('error', onError);
    request.on('close', onClose);
    if (gunzip) request.on('error', onError).pipe(gunzip);
  });
}

/** Most brackets that are open at once, outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return deepest;
}
