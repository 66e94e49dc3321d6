import type { Runs } from '../client/runs';
import type { Scripts } from '../client/scripts';
import type { Toolset, Toolsets } from '../client/toolsets';
import type { Workflows } from '../client/workflows';
import type { Arguments } from './schemas';
import type { AgentSettings, AgentToolName, AgentToolResult } from './types';

/** The parts of a client that the tools work with. */
export interface AgentClient {
  runs: Runs;
  scripts: Scripts;
  toolsets: Toolsets;
  workflows: Workflows;
}

/** What the handlers of one agent's tools share. */
export interface Agent {
  readonly client: AgentClient;
  readonly settings: AgentSettings;
  /** Changes when a workflow is saved. */
  toolset: string | undefined;
  /** Toolsets are immutable, so one is asked for once. */
  readonly toolsets: Map<string, Toolset>;
  /** The last save: saves follow each other, so that each derives from the toolset of the one before. */
  saving: Promise<unknown>;
}

/** One call of a tool, its arguments read. */
export interface Handling<Name extends AgentToolName> {
  name: Name;
  args: Arguments<Name>;
  /** Idempotency key of the call. */
  key: string;
  signal: AbortSignal;
}

/** Handles the calls of one tool. */
export type AgentToolHandler<Name extends AgentToolName> = (
  agent: Agent,
  call: Handling<Name>,
) => Promise<AgentToolResult>;

/** A mistake that the model can mend: its text is the result. */
export class Mistake extends Error {
  constructor(readonly text: string) {
    super(text);
  }
}

/** A result that is no error. */
export function told(text: string | string[]): AgentToolResult {
  return { text: typeof text === 'string' ? text : text.join('\n'), isError: false };
}

/** The toolset of the agent, which all tools that take a script need. */
export function toolsetOf(agent: Agent): string {
  if (agent.toolset !== undefined) return agent.toolset;
  throw new Mistake('Error: these agent tools have no toolset, so they take no scripts');
}

/** The toolset with its declarations. */
export async function readToolset(agent: Agent, signal: AbortSignal): Promise<Toolset> {
  const id = toolsetOf(agent);
  const known = agent.toolsets.get(id);
  if (known) return known;
  const toolset = await agent.client.toolsets.retrieve(id, { signal });
  agent.toolsets.set(id, toolset);
  return toolset;
}
