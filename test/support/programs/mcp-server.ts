import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Rewind } from '../../../sdk/index';

/** An MCP server over stdio. Arguments: end user, toolset. */
const [, , namespace = '', toolset = ''] = process.argv;
const agent = new Rewind().namespace(namespace).agentTools({ toolset });
const { listTools, callTool } = agent.mcp();
const server = new Server(
  { name: 'rewind', version: '1.0.0' },
  { capabilities: { tools: {} }, instructions: agent.instructions },
);
server.setRequestHandler(ListToolsRequestSchema, listTools);
server.setRequestHandler(CallToolRequestSchema, callTool);
void server.connect(new StdioServerTransport());
