import type { JsonSchema } from '../../protocol/json';
import type { ToolSource } from './tool-source';

/** Agent tools for an MCP server, of the official SDK or another. */
export interface McpTools {
  /** Answers `tools/list`. */
  listTools: () => {
    tools: { name: string; description: string; inputSchema: { type: 'object' } & JsonSchema }[];
  };
  /** Answers `tools/call`. What it throws becomes an error of the protocol. */
  callTool: (
    request: {
      params: {
        name: string;
        arguments?: Record<string, unknown> | undefined;
        _meta?: Record<string, unknown> | undefined;
      };
    },
    extra?: {
      sessionId?: string | undefined;
      requestId?: string | number | undefined;
      signal?: AbortSignal | undefined;
    },
  ) => Promise<{ content: { type: 'text'; text: string }[]; isError: boolean }>;
}

/** Where a client that repeats calls puts the id of the call. */
const ID = 'rewind.codes/id';

export function mcpTools(source: ToolSource): McpTools {
  // Request ids begin anew with each connection; over stdio that is one for each process.
  const connection = crypto.randomUUID();
  let calls = 0;
  return {
    listTools: () => ({
      tools: source.definitions.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: { ...inputSchema, type: 'object' },
      })),
    }),
    callTool: async ({ params }, { sessionId, requestId, signal } = {}) => {
      const given = params._meta?.[ID];
      const own = `${sessionId ?? connection}/${requestId ?? `#${(calls += 1)}`}`;
      const { text, isError } = await source.handle(
        {
          id: typeof given === 'string' && given !== '' ? given : own,
          name: params.name,
          input: params.arguments ?? {},
        },
        signal ? { signal } : {},
      );
      return { content: [{ type: 'text', text }], isError };
    },
  };
}
