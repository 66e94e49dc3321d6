import { RunEndedError } from '../../errors/errors';
import { Mistake, type AgentToolHandler } from '../agent';
import { hasEnded, readRun } from '../runs';
import { runIdText } from '../text/escape';
import { literal } from '../text/values';

export const signalRun: AgentToolHandler<'signal_run'> = async (agent, call) => {
  const { run_id: id, name } = call.args;
  const payload: unknown = call.args.payload;
  const run = await readRun(agent, id, call.signal);
  const options = { idempotencyKey: call.key, signal: call.signal };
  try {
    await agent.client.runs.signal(id, name, payload, options);
  } catch (error) {
    if (!RunEndedError.isInstance(error)) throw error;
    const now = hasEnded(run) ? run : await readRun(agent, id, call.signal);
    const state = hasEnded(now) ? ` (${now.state})` : '';
    throw new Mistake(`Error: ${runIdText(id)} has ended${state}, signals no longer reach it`);
  }
  return {
    text: `OK: signal ${literal(name)} is delivered to ${runIdText(id)}`,
    isError: false,
    run,
  };
};
