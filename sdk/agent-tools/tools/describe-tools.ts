import type { Toolset } from '../../client/toolsets';
import { readToolset, told, type AgentToolHandler } from '../agent';
import { count } from '../text/amounts';
import { DECLARATION_BYTES, declarationLines, nameLines } from '../text/declarations';
import { utf8Bytes } from '../../protocol/json';
import { nextCall } from '../text/values';

/** More names than this are not asked for by one URL. */
const ASKED = 50;

export const describeTools: AgentToolHandler<'describe_tools'> = async (agent, call) => {
  const { names, query } = call.args;
  const toolset = await readToolset(agent, call.signal);
  const all = Object.keys(toolset.tools);
  const found = all.filter((name) => matches(toolset, name, names, query));
  if (found.length === 0) {
    return told(`OK: no tools match. All names: ${nextCall('describe_tools', {})}`);
  }
  const whole = found.length === all.length;
  const head = `OK: ${count(found.length, 'tool')}${workflowsNote(toolset)}`;
  if (!whole && found.length > ASKED) return told([head, ...nameLines(toolset, found)]);
  const declarations = await agent.client.toolsets.declarations(
    toolset.id,
    whole ? {} : { names: found },
    { signal: call.signal },
  );
  if (whole && names === undefined && utf8Bytes(declarations) > DECLARATION_BYTES) {
    return told([head, ...nameLines(toolset, found)]);
  }
  return told([head, ...declarationLines(declarations, 'describe_tools {"names":["<one name>"]}')]);
};

function matches(toolset: Toolset, name: string, names?: string[], query?: string): boolean {
  const named =
    names === undefined ||
    names.some((part) => name === part || name.startsWith(`${part.replace(/\.$/, '')}.`));
  if (!named || query === undefined) return named;
  const text = `${name} ${toolset.tools[name]?.description ?? ''}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

function workflowsNote({ workflows }: Toolset): string {
  if (workflows.length === 0) return '';
  return `; and ${count(workflows.length, 'saved workflow')}: ${nextCall('list_workflows', {})}`;
}
