import { RunEndedError } from '../../errors/errors';
import { Mistake, type Agent, type AgentToolHandler } from '../agent';
import { hasEnded, readRun } from '../runs';
import { runIdText } from '../text/escape';
import type { AgentToolResult } from '../types';
import type { Run } from '../../protocol/run';

export const cancelRun: AgentToolHandler<'cancel_run'> = async (agent, call) => {
  const { run_id: id, reason } = call.args;
  const before = await readRun(agent, id, call.signal);
  if (hasEnded(before)) return ended(before);
  return ended(await cancel(agent, id, reason, call.signal));
};

async function cancel(
  agent: Agent,
  id: string,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<Run> {
  try {
    return await agent.client.runs.cancel(id, reason === undefined ? {} : { reason }, { signal });
  } catch (error) {
    // It ended while it was asked.
    if (RunEndedError.isInstance(error)) return readRun(agent, id, signal);
    throw error;
  }
}

/** Canceled is what was asked for, by whomever; any other end came before. */
function ended(run: Run): AgentToolResult {
  const id = runIdText(run.id);
  if (hasEnded(run) && run.state !== 'canceled') {
    throw new Mistake(`Error: ${id} has ended (${run.state}), there is nothing to cancel`);
  }
  return { text: `OK: ${id} is canceled`, isError: false, run };
}
