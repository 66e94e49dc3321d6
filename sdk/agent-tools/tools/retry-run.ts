import { BadRequestError } from '../../errors/errors';
import { Mistake, type AgentToolHandler } from '../agent';
import { awaitOutcome, readRun, runResult } from '../runs';
import { runIdText } from '../text/escape';
import { nextCall } from '../text/values';

export const retryRun: AgentToolHandler<'retry_run'> = async (agent, call) => {
  const { run_id: id, script, repeat_unknown: repeatUnknown, wait_seconds: seconds } = call.args;
  const old = await readRun(agent, id, call.signal);
  const params = {
    ...(script !== undefined && { script }),
    ...(repeatUnknown !== undefined && { repeatUnknown }),
  };
  const options = { idempotencyKey: call.key, signal: call.signal };
  const created = await agent.client.runs.retry(id, params, options).catch((error: unknown) => {
    const text = `Error: ${runIdText(id)} has completed; it is run again only with a new script`;
    if (BadRequestError.isInstance(error) && old.state === 'completed' && script === undefined) {
      throw new Mistake(text);
    }
    if ((error as { code?: unknown }).code === 'run_open') {
      const next = nextCall('get_run', { run_id: id, wait_seconds: 60 });
      throw new Mistake(`Error: ${runIdText(id)} has not ended (${old.state}). Next: ${next}`);
    }
    throw error;
  });
  const most = seconds === undefined ? agent.settings.waitMs : seconds * 1000;
  const run = await awaitOutcome(agent, created, most, call.signal);
  return runResult(agent, run, call.signal, true);
};
