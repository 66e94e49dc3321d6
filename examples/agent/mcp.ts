import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Rewind } from '@rewind.codes/sdk';
import { tools as hostTools } from './tools';

/** An MCP server over stdio, for one end user: REWIND_API_KEY. Its input and output are the protocol. */
async function main(user: string): Promise<void> {
  console.log = console.error;
  const rewind = new Rewind();
  const toolset = await rewind.toolsets.create({ tools: hostTools });
  const worker = rewind.worker({ tools: hostTools });
  const agent = rewind.namespace(user).agentTools({ toolset: toolset.id });
  const { listTools, callTool } = agent.mcp();
  const server = new Server(
    { name: 'rewind', version: '0.1.0' },
    { capabilities: { tools: {} }, instructions: agent.instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, listTools);
  server.setRequestHandler(CallToolRequestSchema, callTool);
  // The client ends the program by closing its input.
  process.stdin.once('close', () => void worker.stop());
  await server.connect(new StdioServerTransport());
}

main(process.argv[2] ?? 'ada').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
