import { told, toolsetOf, type Agent, type AgentToolHandler, type Handling } from '../agent';
import { word } from '../text/escape';
import type { AgentToolResult } from '../types';

export const saveWorkflow: AgentToolHandler<'save_workflow'> = (agent, call) => {
  const saved = agent.saving.then(() => save(agent, call));
  // The next save waits for this one, whatever became of it.
  agent.saving = saved.catch(() => undefined);
  return saved;
};

async function save(agent: Agent, call: Handling<'save_workflow'>): Promise<AgentToolResult> {
  const { name, description, script, input_schema: input, output_schema: output } = call.args;
  const toolset = toolsetOf(agent);
  const { signal } = call;
  const workflow = await agent.client.workflows.save(
    { name, description, script, toolset, ...(input && { input }), ...(output && { output }) },
    { signal },
  );
  const { version } = workflow;
  const derived = await agent.client.toolsets.derive(
    toolset,
    { workflows: [{ name, version }] },
    { signal },
  );
  agent.toolset = derived.id;
  agent.toolsets.set(derived.id, derived);
  return told(
    `OK: ${word(name)} version ${version} is saved. Scripts call it as workflows.${word(name)}(input).`,
  );
}
