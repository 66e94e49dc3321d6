import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { AgentTools } from '@rewind.codes/sdk';
import { root } from '../../support/repository';
import { startStage, type Stage } from '../runs/stage';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

const runId = (result: unknown): string => {
  const { content } = result as { content: { text: string }[] };
  return /run_\w+/.exec(content[0]?.text ?? '')?.[0] ?? '';
};

/** What every transport is to do. Gives the runs that it started, and the one of the named call. */
async function useTools(client: Client): Promise<{ runs: string[]; named: string }> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('run_script');
  expect(tools).toHaveLength(11);
  expect(client.getInstructions()).toMatch(/^You can run TypeScript scripts/);

  const script = 'return await math.add({ a: 1, b: 2 });';
  const call = { name: 'run_script', arguments: { script } };
  const done = await client.callTool(call);
  expect(done).toMatchObject({
    content: [{ type: 'text', text: expect.stringMatching(/^Completed: [^]*\| {"sum":3}/) }],
    isError: false,
  });
  const refused = await client.callTool({ ...call, arguments: { script: 'return nothing;' } });
  expect(refused).toMatchObject({ isError: true });

  // Each request is a call of its own, except where the client says which one it repeats.
  const runs = [runId(done), runId(await client.callTool(call))];
  const named = { ...call, _meta: { 'rewind.codes/id': 'toolu_1' } };
  const ids = [runId(await client.callTool(named)), runId(await client.callTool(named))];
  expect(new Set([...runs, ...ids]).size).toBe(3);
  return { runs, named: ids[0] ?? '' };
}

describe('AT-01: an MCP server of the official SDK, read by its client', () => {
  test('AT-01, AT-32: over stdio; a call that the client names is one also for the next process', async () => {
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: ['--import', 'tsx', 'test/support/programs/mcp-server.ts', 'ada', stage.toolset],
          cwd: root,
          env: {
            ...(process.env as Record<string, string>),
            REWIND_API_KEY: stage.rewind.apiKey,
            REWIND_BASE_URL: stage.rewind.url,
          },
        }),
      );
      return client;
    };
    const client = await connect();
    const first = await useTools(client);
    await client.close();
    // Request ids begin anew in the next process, and lead to runs of its own.
    const next = await connect();
    const second = await useTools(next);
    await next.close();
    expect(new Set([...first.runs, ...second.runs]).size).toBe(4);
    expect(second.named).toBe(first.named);
  });

  test('AT-01, AT-27: over streamable HTTP; a fault is an error of the protocol, not a result', async () => {
    const agent = stage.client.namespace('bob').agentTools({ toolset: stage.toolset });
    const http = await serve(() => agent);
    const client = await connectTo(http);
    await useTools(client);
    await client.close();
    http.close();

    const wrong = stage.rewind.client({ apiKey: 'rk_wrong', maxRetries: 0 }).namespace('bob');
    const broken = await serve(() => wrong.agentTools({ toolset: stage.toolset }));
    const other = await connectTo(broken);
    await expect(other.callTool({ name: 'list_runs', arguments: {} })).rejects.toThrow(/API key/);
    await other.close();
    broken.close();
  });
});

async function connectTo(http: HttpServer): Promise<Client> {
  const { port } = http.address() as AddressInfo;
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  // The transport's own types are not made for exact optional properties.
  await client.connect(transport);
  return client;
}

/** One session for each client, as such servers keep them. */
async function serve(agentOf: () => AgentTools): Promise<HttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const agent = agentOf();
    const { listTools, callTool } = agent.mcp();
    const server = new Server(
      { name: 'rewind', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions: agent.instructions },
    );
    server.setRequestHandler(ListToolsRequestSchema, listTools);
    server.setRequestHandler(CallToolRequestSchema, callTool);
    await server.connect(transport);
    return transport;
  };
  const http = createServer((request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    void (known ? Promise.resolve(known) : open()).then((transport) =>
      transport.handleRequest(request, response),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return http;
}
