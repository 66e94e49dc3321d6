import { Connection, type ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';

/** The Temporal namespace, unless Temporal's environment names one. */
export const DEFAULT_NAMESPACE = 'rewind';

/** Where Temporal is and how to get in. */
export interface TemporalTarget {
  namespace: string;
  options: NativeConnectionOptions;
}

/** The connections that a gateway or a script worker needs. */
export interface TemporalConnections {
  namespace: string;
  /** For calls: failed ones are repeated by the connection. */
  connection: Connection;
  /**
   * For polls of worker groups: without the repeating interceptor, which would hide that the server
   * asks for less.
   */
  pollConnection: Connection;
  close(): Promise<void>;
}

/** For every connection of the client: its own setting lacks the prefix, so that gRPC's 4 MB would hold. */
export function channelArgs(address: string | undefined): Record<string, number> {
  return {
    'grpc.max_receive_message_length': 128 * 1024 * 1024,
    // An HTTP proxy in the environment is for other machines.
    ...(/^(127\.|localhost|\[::1\])/.test(address ?? 'localhost') && {
      'grpc.enable_http_proxy': 0,
    }),
  };
}

/**
 * The target by Temporal's standard environment configuration (`TEMPORAL_ADDRESS`, `TEMPORAL_API_KEY`,
 * `TEMPORAL_PROFILE`, …). `address`: of our own server; then only the namespace is read.
 */
export function temporalTarget(
  env: NodeJS.ProcessEnv = process.env,
  address?: string,
): TemporalTarget {
  if (address !== undefined) {
    return { namespace: env['TEMPORAL_NAMESPACE'] || DEFAULT_NAMESPACE, options: { address } };
  }
  const set = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: set });
  return { namespace: namespace || DEFAULT_NAMESPACE, options: connectionOptions };
}

/** Opens both connections. Fails, naming the address, where nothing answers. */
export async function connectTemporal(
  target: TemporalTarget,
  { withinMs = 10_000 }: { withinMs?: number } = {},
): Promise<TemporalConnections> {
  const options = { ...clientOptions(target.options), connectTimeout: withinMs };
  const connection = await answering(target, () => Connection.connect(options));
  const pollConnection = Connection.lazy({ ...options, interceptors: [] });
  return {
    namespace: target.namespace,
    connection,
    pollConnection,
    close: async () => {
      await pollConnection.close();
      await connection.close();
    },
  };
}

function clientOptions(options: NativeConnectionOptions): ConnectionOptions {
  const { address, tls, apiKey, metadata } = options;
  return {
    channelArgs: channelArgs(address),
    ...(address !== undefined && { address }),
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Says where it looked when nothing answers there. */
export async function answering<T>(target: TemporalTarget, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    const address = target.options.address ?? 'localhost:7233';
    throw new Error(`No Temporal server answers at ${address}. Is TEMPORAL_ADDRESS right?`, {
      cause: error,
    });
  }
}
