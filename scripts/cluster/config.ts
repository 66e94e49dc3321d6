import { temporalSettings } from '../../server/temporal-server';

/** A role of the server: all of them are in one process, and talk to each other by these ports. */
const roles = ['frontend', 'history', 'matching', 'worker'] as const;

/** How many ports the configuration of a cluster takes. */
export const PORTS = 2 * roles.length + 1;

/** JSON is YAML, and that is what the server reads. */
export function serverConfig(options: {
  database: URL;
  /** The first one is the frontend's. */
  ports: number[];
  dynamicConfig: string;
}): string {
  const [web, ...ports] = options.ports.slice(1);
  const rpc = [options.ports[0], ...ports];
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: options.database.host,
      connectProtocol: 'tcp',
      user: options.database.username,
      maxConns,
      maxIdleConns: maxConns,
    },
  });
  const services = roles.map((role, index): [string, unknown] => [
    role,
    {
      rpc: {
        grpcPort: rpc[2 * index],
        membershipPort: rpc[2 * index + 1],
        bindOnLocalHost: true,
        ...(role === 'frontend' && { httpPort: web }),
      },
    },
  ]);
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: {
        default: store('temporal', 20),
        visibility: store('temporal_visibility', 10),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${rpc[0]}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: options.dynamicConfig, pollInterval: '10s' },
  });
}

/** The settings of docs/deployment.md and no others: what is tested is what operators run. */
export function dynamicConfig(): string {
  const entries = temporalSettings.map((setting): [string, unknown] => {
    const at = setting.indexOf('=');
    const value: unknown = JSON.parse(setting.slice(at + 1));
    return [setting.slice(0, at), [{ value }]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
