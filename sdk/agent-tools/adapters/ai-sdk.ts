import type { AgentToolResult } from '../types';
import type { ToolSource } from './tool-source';

/** One agent tool as the Vercel AI SDK takes it. */
export interface AiSdkTool {
  description: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the AI SDK's own type of schema, which this package does not depend on
  inputSchema: any;
  execute(
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the model gave: handle() reads it
    input: any,
    options: { toolCallId: string; abortSignal?: AbortSignal },
  ): Promise<AgentToolResult>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- differs between the major versions of the AI SDK
  toModelOutput(result: any): any;
}

/** Agent tools for the Vercel AI SDK. */
export interface AiSdkTools {
  /** For `generateText({ tools })`. */
  tools: Record<string, AiSdkTool>;
  /** Aborted by the first fault, so that no further turn is made: for `generateText({ abortSignal })`. */
  abortSignal: AbortSignal;
  /** Throws the first fault, if there was any. */
  rethrow: () => void;
}

/** How the AI SDK knows its schemas, by shape and not by class. */
const schemaSymbol = Symbol.for('vercel.ai.schema');

export function aiSdkTools(source: ToolSource): AiSdkTools {
  const controller = new AbortController();
  let fault: { error: unknown } | undefined;
  const tools = source.definitions.map(
    ({ name, description, inputSchema }): [string, AiSdkTool] => [
      name,
      {
        description,
        // Without validation there: handle() says better what is wrong with arguments.
        inputSchema: {
          [schemaSymbol]: true,
          _type: undefined,
          jsonSchema: inputSchema,
          validate: undefined,
        },
        execute: async (input: unknown, { toolCallId, abortSignal }) => {
          try {
            const options = abortSignal ? { signal: abortSignal } : {};
            return await source.handle({ id: toolCallId, name, input }, options);
          } catch (error) {
            // Calls of one step run side by side: only the first fault is one of its own.
            fault ??= { error };
            controller.abort(error);
            throw error;
          }
        },
        toModelOutput,
      },
    ],
  );
  return {
    tools: Object.fromEntries(tools),
    abortSignal: controller.signal,
    rethrow: () => {
      if (fault) throw fault.error;
    },
  };
}

/** From version 6 on the result comes within an object. */
function toModelOutput(given: AgentToolResult | { output: AgentToolResult }): {
  type: 'text' | 'error-text';
  value: string;
} {
  const { text, isError } = 'output' in given ? given.output : given;
  return { type: isError ? 'error-text' : 'text', value: text };
}
