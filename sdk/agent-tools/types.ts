import type { Duration } from '../protocol/duration';
import type { JsonSchema } from '../protocol/json';
import type { Labels } from '../protocol/labels';
import type { Run } from '../protocol/run';

/** The tools that a model gets. */
export const agentToolNames = [
  'run_script',
  'check_script',
  'test_script',
  'get_run',
  'list_runs',
  'retry_run',
  'signal_run',
  'cancel_run',
  'save_workflow',
  'list_workflows',
  'describe_tools',
] as const;
/** Name of an agent tool. */
export type AgentToolName = (typeof agentToolNames)[number];

/** Options of {@link AgentTools}. */
export interface AgentToolsOptions {
  /** Whose tools the scripts can call. Tools that take a script answer `Error` without it. */
  toolset?: string;
  /** On every run that the model starts; it sees no run without them. Default none. */
  labels?: Labels;
  /** The tools that the model gets. Default all. */
  tools?: AgentToolName[];
  /** How long `run_script` and `retry_run` wait for the outcome. Default `"20s"`, at most `"60s"`. */
  wait?: Duration;
  /** Time to live of the runs that the model starts. Default `"7d"`. */
  ttl?: Duration;
  /** Most bytes of an output in one result. Default and most 262,144; lower it for a small context. */
  outputLimit?: number;
  /** Last lines of the log in a result. Default 20. */
  logLines?: number;
}

/** A tool as a model is told of it. */
export interface AgentToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

/** A tool call of the model. */
export interface AgentToolCall {
  /** The model's tool call id: handled twice, a call has one effect. */
  id: string;
  name: string;
  input: unknown;
}

/** What the model gets back. */
export interface AgentToolResult {
  /** For the model: plain text, bounded. */
  text: string;
  /** A mistake that the model can mend. */
  isError: boolean;
  /** The run that the call started or read. */
  run?: Run;
}

/** Options with everything that they leave out. */
export interface AgentSettings {
  labels: Readonly<Labels>;
  tools: readonly AgentToolName[];
  waitMs: number;
  ttl: Duration;
  outputLimit: number;
  logLines: number;
}
