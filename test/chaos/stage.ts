import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rewind } from '@rewind.codes/sdk';
import { startTemporalServer, type TemporalServer } from '../../server/temporal-server';
import { startProgram, type ChildProgram } from '../support/child-process';
import { startPostgres, type TestPostgres } from '../support/postgres';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { Ledger } from './ledger';

/** A process that can be killed and started again. */
export interface Part {
  kind: 'temporal' | 'postgres' | 'gateway' | 'script worker' | 'worker';
  up: boolean;
  start(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** All processes of a system, and the two links between them. */
export interface Stage {
  parts: Part[];
  /** Between clients or workers and the gateways; between these or script workers and Temporal. */
  links: { front: TcpProxy; back: TcpProxy };
  client: Rewind;
  ledger: Ledger;
  folder: string;
  stop(): Promise<void>;
}

const NAMESPACE = 'rewind-chaos';

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'rewind-chaos-'));
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  const apiKey = `rw_${randomUUID()}`;
  const postgres = await startPostgres();
  const temporal = temporalPart(folder);
  const gateways: GatewayPart[] = [];
  let turn = 0;
  const back = await startTcpProxy(() => temporal.port());
  const front = await startTcpProxy(() => {
    const live = gateways.filter(({ up }) => up);
    return live[turn++ % Math.max(live.length, 1)]?.port;
  });
  const environment = {
    TEMPORAL_ADDRESS: `127.0.0.1:${back.port}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    REWIND_DATABASE_URL: postgres.url,
    REWIND_SEAL_KEYS: randomUUID() + randomUUID(),
    REWIND_ROOT_KEY: apiKey,
    REWIND_PORT: '0',
    REWIND_LOG_LEVEL: 'info',
  };
  const state = join(folder, 'state');
  mkdirSync(state);
  mkdirSync(join(folder, 'temporal'));
  const baseURL = `http://127.0.0.1:${front.port}`;
  const server = (command: string) => () =>
    startProgram('server/main.ts', [command, '--state', state], { env: environment });
  gateways.push(gatewayPart(server('gateway')), gatewayPart(server('gateway')));
  const worker = () =>
    startProgram('test/chaos/worker.ts', [ledger.file], {
      env: { REWIND_API_KEY: apiKey, REWIND_BASE_URL: baseURL },
    });
  const parts: Part[] = [
    temporal,
    postgresPart(postgres),
    ...gateways,
    ...[1, 2].map(() => programPart('script worker', server('script-worker'), /"ready"/)),
    ...[1, 2, 3].map(() => programPart('worker', worker, /^claiming/)),
  ];
  // In order: each needs those before it. The second script worker finds the first one's bundle.
  for (const part of parts) await part.start();
  return {
    parts,
    links: { front, back },
    client: new Rewind({ apiKey, baseURL, maxRetries: 5 }),
    ledger,
    folder,
    stop: async () => {
      for (const part of [...parts].reverse()) if (part.kind !== 'postgres') await part.kill();
      await Promise.all([front.close(), back.close()]);
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function temporalPart(folder: string): Part & { port: () => number | undefined } {
  let server: TemporalServer | undefined;
  return {
    kind: 'temporal',
    get up() {
      return server !== undefined;
    },
    port: () => server && Number(server.address.split(':')[1]),
    start: async () => {
      server = await startTemporalServer({
        stateDir: join(folder, 'temporal'),
        logFile: join(folder, 'temporal.log'),
      });
    },
    kill: async () => {
      const killed = server;
      server = undefined;
      if (!killed) return;
      process.kill(killed.pid, 'SIGKILL');
      await killed.exited;
    },
  };
}

function postgresPart(postgres: TestPostgres): Part {
  let up = true;
  return {
    kind: 'postgres',
    get up() {
      return up;
    },
    start: async () => {
      if (!up) await postgres.restart();
      up = true;
    },
    kill: async () => {
      up = false;
      await postgres.crash();
    },
  };
}

type GatewayPart = Part & { readonly port: number | undefined };

function gatewayPart(launch: () => ChildProgram): GatewayPart {
  let port: number | undefined;
  const part = programPart('gateway', launch, /"url":"http:\/\/[^:]+:(\d+)".*"ready"/, (match) => {
    port = Number(match[1]);
  });
  return Object.defineProperty(part, 'port', { get: () => port }) as GatewayPart;
}

function programPart(
  kind: Part['kind'],
  launch: () => ChildProgram,
  ready: RegExp,
  isReady: (match: RegExpMatchArray) => void = () => undefined,
): Part {
  let program: ChildProgram | undefined;
  let up = false;
  return {
    kind,
    get up() {
      return up;
    },
    start: async () => {
      // What it needs may be down itself: then it ends, and an operator's supervisor starts it again.
      for (let tries = 1; ; tries += 1) {
        const started = launch();
        program = started;
        try {
          isReady(await started.line(ready, { within: 60_000 }));
          up = true;
          return;
        } catch (error) {
          await started.kill('SIGKILL');
          if (program !== started) return;
          if (tries === 10) throw new Error(`the ${kind} does not start`, { cause: error });
        }
      }
    },
    kill: async () => {
      const killed = program;
      program = undefined;
      up = false;
      await killed?.kill('SIGKILL');
    },
  };
}
