import type { JsonSchema } from '../../protocol/json';
import type { ToolSource } from './tool-source';

/** Agent tools for the Responses API of OpenAI. */
export interface OpenAITools {
  /** For `responses.create({ tools })`. */
  tools: {
    type: 'function';
    name: string;
    description: string;
    parameters: JsonSchema;
    strict: false;
  }[];
  /** Answers a `function_call` item; the result goes into the next `input`. */
  handle: (item: {
    type: 'function_call';
    call_id: string;
    name: string;
    arguments: string;
  }) => Promise<{ type: 'function_call_output'; call_id: string; output: string }>;
}

export function openaiTools(source: ToolSource): OpenAITools {
  return {
    tools: source.definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    // Arguments are JSON text that the model wrote: what is none is told as bad arguments.
    handle: async ({ call_id: id, name, arguments: input }) => {
      const { text } = await source.handle({ id, name, input });
      return { type: 'function_call_output', call_id: id, output: text };
    },
  };
}
