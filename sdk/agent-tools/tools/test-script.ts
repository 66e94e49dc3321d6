import type { Mock } from '../../protocol/script-test';
import { toolsetOf, type AgentToolHandler } from '../agent';
import { testText } from '../text/test-text';

export const testScript: AgentToolHandler<'test_script'> = async (agent, call) => {
  const { script, input, mocks, signals } = call.args;
  const result = await agent.client.scripts.test(
    {
      script,
      toolset: toolsetOf(agent),
      ...(input !== undefined && { input }),
      ...(mocks && { mocks: mocks as Mock[] }),
      ...(signals && { signals: signals }),
    },
    { signal: call.signal },
  );
  return { text: testText(result, agent.settings), isError: result.state === 'failed' };
};
