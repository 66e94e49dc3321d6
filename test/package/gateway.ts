import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimBody, createRunBody, createToolsetBody } from '../../sdk/protocol';
import { completeBody } from '../../sdk/protocol/task';

/** What a consumer program needs: it finds both in its environment. */
export interface Gateway {
  url: string;
  apiKey: string;
  stop(): Promise<void>;
}

/**
 * The server of the consumers: as much of the wire contract as a run with one call takes, so that the
 * packed client is tested by itself. A script `return await some.tool(input);` calls `some.tool`.
 */
export async function startGateway(): Promise<Gateway> {
  const apiKey = `rw_${randomUUID()}`;
  const runs = new Map<string, Record<string, unknown>>();
  const calls: { runId: string; tool: string; input: unknown; namespace: string }[] = [];

  const routes: Record<string, (body: unknown, namespace: string) => unknown> = {
    'POST /v1/toolsets': (body) => ({
      ...createToolsetBody.parse(body),
      id: 'ts_0123456789abcdef',
      workflows: [],
      createdAt: new Date().toISOString(),
    }),
    'POST /v1/runs': (body, namespace) => {
      const { script, input } = createRunBody.parse(body);
      const id = `run_${randomUUID().replaceAll('-', '')}`;
      const tool = /await ([\w.]+)\(input\)/.exec(script)?.[1] ?? '';
      runs.set(id, { id, state: 'running' });
      calls.push({ runId: id, tool, input, namespace });
      return runs.get(id);
    },
    'POST /v1/tasks/claim': (body) => {
      const { tools } = claimBody.parse(body);
      const at = calls.findIndex(({ tool }) => tools.includes(tool));
      const call = calls.splice(at, at < 0 ? 0 : 1)[0];
      if (!call) return { task: null };
      const { runId, tool, input, namespace } = call;
      const more = { policy: 'retry', leaseMs: 60_000, labels: {}, credentials: {} };
      return {
        task: {
          token: runId,
          tool,
          input,
          runId,
          seq: 1,
          attempt: 1,
          namespace,
          traceparent: '00',
          ...more,
        },
      };
    },
    'POST /v1/tasks/complete': (body) => {
      const { token, result } = completeBody.parse(body);
      runs.set(token, { id: token, state: 'completed', output: result });
      return { ok: true };
    },
    'POST /v1/tasks/heartbeat': (body) => ({
      tasks: (body as { tasks: unknown[] }).tasks.map(() => ({ status: 'ok' })),
    }),
    'POST /v1/workers/leave': () => ({ ok: true }),
  };

  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const path = request.url?.split('?')[0] ?? '';
      const route = routes[`${request.method} ${path}`];
      const namespace = decodeURIComponent(String(request.headers['rewind-namespace'] ?? ''));
      if (request.headers.authorization !== `Bearer ${apiKey}`) {
        send(response, 401, { error: { code: 'unauthenticated', message: 'no such key' } });
      } else if (route) {
        send(response, 200, route(JSON.parse(text), namespace));
      } else {
        const run = runs.get(path.replace('/v1/runs/', ''));
        send(response, run ? 200 : 404, run ?? { error: { code: 'not_found', message: path } });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  // A claim that finds nothing waits a little, as a long poll does.
  const empty = typeof body === 'object' && body !== null && 'task' in body && body.task === null;
  setTimeout(
    () => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
    empty ? 100 : 0,
  );
}
