import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that misbehaves on request. */
export interface TcpProxy {
  port: number;
  /** Connections that were opened so far. */
  readonly connections: number;
  /** Ends every open connection with a reset; new ones go through. */
  cut(): void;
  /** Connections stay open and new ones are accepted, but no byte passes until `restore`. */
  blackhole(): void;
  /** Refuses new connections and cuts the open ones, until `restore`. */
  refuse(): void;
  /** Lets so many requests through and cuts the connection where each response begins. */
  loseResponses(count: number): void;
  /** Every chunk comes this much later, in both directions. */
  delay(ms: number): void;
  restore(): void;
  close(): Promise<void>;
}

/**
 * Listens on a free port of the loopback interface and forwards to `target`: a port, or what chooses
 * one for each connection (`undefined`: nobody is there, the connection is refused).
 */
export async function startTcpProxy(
  target: number | (() => number | undefined),
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  /** Of which something fell into the hole. */
  const torn = new Set<Socket>();
  let mode: 'pass' | 'blackhole' | 'refuse' = 'pass';
  let delayMs = 0;
  let toLose = 0;
  let connections = 0;

  const pipe = (from: Socket, to: Socket, answers: boolean) => {
    from.on('data', (chunk) => {
      // What falls into the hole stays there: on restore the two ends would see a gap.
      if (answers && toLose > 0) {
        toLose -= 1;
        return void to.resetAndDestroy();
      }
      if (mode === 'blackhole') torn.add(from);
      else if (delayMs > 0) setTimeout(() => to.writable && to.write(chunk), delayMs);
      else if (to.writable) to.write(chunk);
    });
    from.on('end', () => mode !== 'blackhole' && setTimeout(() => to.end(), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      torn.delete(from);
      to.destroy();
    });
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const port = typeof target === 'number' ? target : target();
    client.on('error', () => undefined);
    if (mode === 'refuse' || port === undefined) return void client.resetAndDestroy();
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [client, upstream]) sockets.add(socket);
    pipe(client, upstream, false);
    pipe(upstream, client, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    cut,
    blackhole: () => (mode = 'blackhole'),
    refuse: () => {
      mode = 'refuse';
      cut();
    },
    loseResponses: (count) => (toLose = count),
    delay: (ms) => (delayMs = ms),
    restore: () => {
      mode = 'pass';
      delayMs = 0;
      for (const socket of torn) socket.resetAndDestroy();
    },
    close: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
