import { z } from 'zod';
import type { JsonSchema } from '../protocol/json';
import { argumentSchemas } from './schemas';
import { agentToolNames, type AgentToolDefinition, type AgentToolName } from './types';

const descriptions: Record<AgentToolName, string> = {
  run_script:
    'Check and run a TypeScript script that calls your tools. Use it when a task needs more than one tool call, a loop, a condition, or waiting. The run is durable. Gives Completed, Waiting, Failed or Refused.',
  check_script:
    "Type-check a script without running it. Use it when you are unsure of a tool's types. It has no effect. Says which tools the script can call and which of them need approval.",
  test_script:
    'Run a script with made-up answers: no tool is really called, sleeps take no time. Use it before a script whose effects are hard to undo. Each mock answers the calls of its tool, in order; give `input` to answer only calls with these arguments.',
  get_run:
    'Read a run: its outcome, or what it waits for. Use it to follow a run that was Waiting, and with `offset` to read on in a long output. It changes nothing.',
  list_runs: 'List your runs, newest first. Use it to find a run whose id you no longer have.',
  retry_run:
    'Run a failed, canceled or expired run again, with a corrected script if you give one. Calls that it finished are answered from its record and not made again, while the script asks for the same calls in the same order. Use it rather than run_script after a failure, so that effects are not repeated.',
  signal_run:
    "Send a signal to a run that waits in waitForSignal(name), e.g. the user's answer. Early signals are kept in order.",
  cancel_run: 'End a run now. Its open calls are dropped; calls already made are not undone.',
  save_workflow:
    'Save a script that worked under a name, so that later scripts can call workflows.<name>(input). Saving a name again makes a new version.',
  list_workflows:
    'List the saved workflows that scripts can call, with their types. Look here before you write a script for a common task.',
  describe_tools:
    'The exact TypeScript declarations of the tools that scripts can call. Call it before your first script. Without arguments: all names with one line each, and full declarations while they fit.',
};

/** The definition of one tool, the same for every toolset; a copy, so that a caller may change it. */
export function definitionOf(name: AgentToolName): AgentToolDefinition {
  const schema = z.toJSONSchema(argumentSchemas[name], { io: 'input' }) as JsonSchema;
  delete schema['$schema'];
  return { name, description: descriptions[name], inputSchema: providerSchema(schema) };
}

/** Definitions in the order in which the tools are told of. */
export function definitionsOf(names: readonly AgentToolName[]): AgentToolDefinition[] {
  return agentToolNames.filter((name) => names.includes(name)).map(definitionOf);
}

/** Providers know the keywords of plain types; the bound of safe integers and of keys tells a model nothing. */
function providerSchema(schema: JsonSchema): JsonSchema {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  delete schema['propertyNames'];
  const parts = Object.values((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const items = schema['items'] as JsonSchema | undefined;
  for (const part of items ? [...parts, items] : parts) providerSchema(part);
  return schema;
}
