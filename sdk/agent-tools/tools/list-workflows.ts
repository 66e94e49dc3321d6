import { readToolset, told, type AgentToolHandler } from '../agent';
import { count } from '../text/amounts';
import { declarationLines } from '../text/declarations';
import { headOf, visible, word } from '../text/escape';
import { nextCall } from '../text/values';

const MOST = 50;

export const listWorkflows: AgentToolHandler<'list_workflows'> = async (agent, call) => {
  const { query } = call.args;
  const { signal } = call;
  const toolset = await readToolset(agent, signal);
  if (toolset.workflows.length === 0) return told('OK: no workflows');
  const page = await agent.client.workflows.list(
    { toolset: toolset.id, limit: MOST, ...(query !== undefined && { query }) },
    { signal },
  );
  if (page.data.length === 0) {
    return told(`OK: no workflows match. All: ${nextCall('list_workflows', {})}`);
  }
  const declarations = await agent.client.toolsets.declarations(
    toolset.id,
    { names: page.data.map(({ name }) => `workflows.${name}`) },
    { signal },
  );
  const more =
    page.nextCursor === undefined
      ? ''
      : '. There are more: name a word, list_workflows {"query":"…"}';
  const rows =
    declarations === ''
      ? page.data.map(
          ({ name, description }) => `| ${word(name)}: ${headOf(visible(description), 200)}`,
        )
      : declarationLines(declarations, 'list_workflows {"query":"…"}');
  return told([`OK: ${count(page.data.length, 'workflow')}${more}`, ...rows]);
};
