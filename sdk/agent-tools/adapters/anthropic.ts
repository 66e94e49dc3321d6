import type { JsonSchema } from '../../protocol/json';
import type { ToolSource } from './tool-source';

/** Agent tools for the Messages API of Anthropic. */
export interface AnthropicTools {
  /** For `messages.create({ tools })`. */
  tools: { name: string; description: string; input_schema: { type: 'object' } & JsonSchema }[];
  /** Answers a `tool_use` block; the result goes into the next user message. */
  handle: (block: { type: 'tool_use'; id: string; name: string; input: unknown }) => Promise<{
    type: 'tool_result';
    tool_use_id: string;
    content: string;
    is_error: boolean;
  }>;
}

export function anthropicTools(source: ToolSource): AnthropicTools {
  return {
    tools: source.definitions.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: { ...inputSchema, type: 'object' },
    })),
    handle: async ({ id, name, input }) => {
      const { text, isError } = await source.handle({ id, name, input });
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    },
  };
}
