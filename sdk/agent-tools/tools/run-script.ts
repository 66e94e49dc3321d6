import { toolsetOf, type AgentToolHandler } from '../agent';
import { awaitOutcome, runResult } from '../runs';

export const runScript: AgentToolHandler<'run_script'> = async (agent, call) => {
  const { script, input, wait_seconds: seconds } = call.args;
  const { labels, ttl, waitMs } = agent.settings;
  const created = await agent.client.runs.create(
    {
      script,
      toolset: toolsetOf(agent),
      labels: { ...labels },
      ttl,
      ...(input !== undefined && { input }),
    },
    { idempotencyKey: call.key, signal: call.signal },
  );
  const most = seconds === undefined ? waitMs : seconds * 1000;
  const run = await awaitOutcome(agent, created, most, call.signal);
  return runResult(agent, run, call.signal, true);
};
