import { readToolset, toolsetOf, told, type AgentToolHandler } from '../agent';
import { refusalText } from '../text/refusal';
import { toolText } from '../text/escape';

const MOST = 50;

export const checkScript: AgentToolHandler<'check_script'> = async (agent, call) => {
  const { signal } = call;
  const toolset = toolsetOf(agent);
  const result = await agent.client.scripts.check(
    { script: call.args.script, toolset },
    { signal },
  );
  if (!result.ok) {
    return { text: refusalText(result.diagnostics, call.name), isError: true };
  }
  const { tools } = await readToolset(agent, signal);
  const names = result.tools.slice(0, MOST).map((name) => {
    const { policy, approval } = (Object.hasOwn(tools, name) && tools[name]) || {};
    const notes = [
      ...(policy === 'at_most_once' ? ['at most once'] : []),
      ...(approval ? ['needs approval'] : []),
    ];
    return notes.length > 0 ? `${toolText(name)} (${notes.join(', ')})` : toolText(name);
  });
  if (result.tools.length > MOST) names.push(`${result.tools.length - MOST} more`);
  return told(
    names.length === 0
      ? 'OK: no problems. The script calls no tools.'
      : `OK: no problems. The script can call ${names.join(', ')}.`,
  );
};
