/**
 * Client and host-tool worker of Rewind: durable TypeScript scripts for AI agents.
 *
 * @module
 */
export { Rewind } from './client/rewind';
export type { RequestOptions, RewindOptions } from './client/options';
export type { ListParams, Page } from './client/page';
export type { Toolset, Toolsets } from './client/toolsets';
export type { Scripts, TestScriptParams } from './client/scripts';
export type {
  CreateRunParams,
  ListRunsParams,
  RetryRunParams,
  Runs,
  TextParams,
  TraceParams,
} from './client/runs';
export type { Approvals, ListApprovalsParams } from './client/approvals';
export type { ListWorkflowsParams, SaveWorkflowParams, Workflows } from './client/workflows';
export type { TaskFailure, Tasks } from './client/tasks';
export type { CreatedKey, CreateKeyParams, Keys } from './client/keys';
export type { AgentTools } from './agent-tools/agent-tools';
export type {
  AgentToolCall,
  AgentToolDefinition,
  AgentToolName,
  AgentToolResult,
  AgentToolsOptions,
} from './agent-tools/types';
export type { AnthropicTools } from './agent-tools/adapters/anthropic';
export type { OpenAITools } from './agent-tools/adapters/openai';
export type { OpenAIChatTools } from './agent-tools/adapters/openai-chat';
export type { AiSdkTool, AiSdkTools } from './agent-tools/adapters/ai-sdk';
export type { McpTools } from './agent-tools/adapters/mcp';
export { tool, type Schema, type ToolDeclaration } from './tools/declaration';
export type { TypedSchema } from './tools/standard-schema';
export type { Deferral, HostToolContext, HostToolHandler } from './worker/context';
export type { HostToolWorker, WorkerErrorContext, WorkerOptions } from './worker/options';
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  HostToolError,
  NamespaceRequiredError,
  NotFoundError,
  PermissionError,
  QuotaError,
  RateLimitError,
  RewindError,
  RunEndedError,
  ScriptRefusedError,
  ServerError,
  TooLargeError,
  type HostToolErrorOptions,
  type RewindErrorDetails,
} from './errors';
export type {
  Approval,
  CallState,
  CheckResult,
  Diagnostic,
  Duration,
  JsonSchema,
  KeyObject,
  Labels,
  MissingMock,
  Mock,
  Policy,
  Right,
  Run,
  RunError,
  RunState,
  TestResult,
  TextPage,
  ToolErrorCode,
  ToolSpec,
  TraceEntry,
  Wait,
  Workflow,
  WorkflowRef,
  WorkflowSummary,
} from './protocol';
