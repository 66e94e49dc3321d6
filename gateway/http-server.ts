import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, invalidRequest } from './errors';

/** How long the rest of a body that was answered already may take, so that the answer is read. */
const LINGER_MS = 1_000;

/** Milliseconds after which a connection that does not keep up is closed. */
export interface ServerTimeouts {
  /** For all headers of a request. @default 10000 */
  headersMs?: number;
  /** For a whole request, that is for its body too. @default 30000 */
  requestMs?: number;
}

/**
 * The server that the app listens on. Node itself refuses `Content-Length` together with
 * `Transfer-Encoding` and whatever else is no HTTP; here the refusal gets the shape of all errors.
 */
export function createHttpServer(app: RequestListener, timeouts: ServerTimeouts = {}): Server {
  const { headersMs = 10_000, requestMs = 30_000 } = timeouts;
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Longer than load balancers keep theirs, so that it is never this side that closes first.
    keepAliveTimeout: 75_000,
    noDelay: true,
  });
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    answering.set(request.socket, response);
    response.once('finish', () => {
      if (request.complete) return;
      const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
      request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
      request.resume();
    });
    app(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const open = answering.get(socket);
    const begun = open?.headersSent && !open.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) socket.destroy();
    else socket.end(rawAnswer(error.code));
  });
  return server;
}

/** There is no request to answer yet, so the bytes are written by hand. */
function rawAnswer(code: string | undefined): string {
  const error =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new ApiError('request_timeout', 'the request did not arrive in time')
      : invalidRequest(
          code === 'HPE_HEADER_OVERFLOW'
            ? 'the headers are too large'
            : 'this is not valid HTTP/1.1',
        );
  const body = JSON.stringify({ error: { code: error.code, message: error.message } });
  const reason = error.status === 408 ? 'Request Timeout' : 'Bad Request';
  return [
    `HTTP/1.1 ${error.status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
