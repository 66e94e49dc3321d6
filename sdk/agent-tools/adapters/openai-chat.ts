import type { JsonSchema } from '../../protocol/json';
import type { ToolSource } from './tool-source';

/** Agent tools for the Chat Completions API of OpenAI. */
export interface OpenAIChatTools {
  /** For `chat.completions.create({ tools })`. */
  tools: {
    type: 'function';
    function: { name: string; description: string; parameters: JsonSchema };
  }[];
  /** Answers a tool call; the result is the next message. */
  handle: (call: {
    id: string;
    type: 'function';
    function: { name: string; arguments: string };
  }) => Promise<{ role: 'tool'; tool_call_id: string; content: string }>;
}

export function openaiChatTools(source: ToolSource): OpenAIChatTools {
  return {
    tools: source.definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    handle: async ({ id, function: { name, arguments: input } }) => {
      const { text } = await source.handle({ id, name, input });
      return { role: 'tool', tool_call_id: id, content: text };
    },
  };
}
