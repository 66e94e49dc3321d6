import type { AgentToolCall, AgentToolDefinition, AgentToolResult } from '../types';

/** What an adapter adapts. */
export interface ToolSource {
  readonly definitions: readonly AgentToolDefinition[];
  handle(call: AgentToolCall, options?: { signal?: AbortSignal }): Promise<AgentToolResult>;
}
