import { createServer } from 'node:net';

/** A TCP port of the loopback interface that nobody listens on. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/** `true` where nobody listens on the port of the loopback interface. */
export async function isPortFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
