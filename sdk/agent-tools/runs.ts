import { NotFoundError, ServerError } from '../errors/errors';
import { hasLabels } from '../protocol/labels';
import { runIdSchema, type Run, type TraceEntry } from '../protocol/run';
import { formatDuration } from '../protocol/duration';
import { Mistake, type Agent } from './agent';
import { TRACE_CALLS } from './text/calls';
import { textLiteral } from './text/escape';
import { runText } from './text/run-text';
import type { AgentToolResult } from './types';

/** The whole log is at most 64 KiB. */
const LOG_BYTES = 128 * 1024;

/** `true` where nothing more will happen in the run. */
export function hasEnded({ state }: Run): boolean {
  return state !== 'running' && state !== 'waiting';
}

/** The same words for a run that never was, that is somebody else's, and for what is no run id. */
function noRun(id: string): Mistake {
  return new Mistake(`Error: no run ${textLiteral(id)}`);
}

/** A run within the agent's labels, as it is now or after a change. */
export async function readRun(
  agent: Agent,
  id: string,
  signal: AbortSignal,
  waitMs = 0,
): Promise<Run> {
  if (!runIdSchema.safeParse(id).success) throw noRun(id);
  const wanted = agent.settings.labels;
  const read = async (ms: number): Promise<Run> => {
    try {
      const run = await agent.client.runs.retrieve(id, ms > 0 ? { wait: formatDuration(ms) } : {}, {
        signal,
      });
      if (hasLabels(run.labels, wanted)) return run;
    } catch (error) {
      if (!NotFoundError.isInstance(error)) throw error;
    }
    throw noRun(id);
  };
  // Whether it is in scope is answered at once, so that the time tells nothing of foreign runs.
  const run = await read(0);
  return waitMs > 0 && !hasEnded(run) ? read(waitMs) : run;
}

/** The run when it has ended, when only others can move it on, or when the time is over. */
export async function awaitOutcome(
  agent: Agent,
  run: Run,
  waitMs: number,
  signal: AbortSignal,
): Promise<Run> {
  const end = performance.now() + waitMs;
  let now = run;
  for (let quick = 0; !hasEnded(now) && !waitsForOthers(now);) {
    const left = Math.floor(end - performance.now());
    if (left <= 0) break;
    const asked = performance.now();
    now = await agent.client.runs.retrieve(run.id, { wait: formatDuration(left) }, { signal });
    // Something between may cut waits short: never spin.
    quick = performance.now() - asked < 50 ? quick + 1 : 0;
    if (quick > 2) {
      const pause = Math.min(1_000, 25 * 2 ** quick, Math.max(0, end - performance.now()));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  // What a new run gives before it was asked says nothing of its calls yet.
  return now === run && !hasEnded(now) ? agent.client.runs.retrieve(run.id, {}, { signal }) : now;
}

/** Only the model, or a person who is asked through it, can move the run on. */
function waitsForOthers({ state, waitingFor }: Run): boolean {
  return (
    state === 'waiting' &&
    waitingFor.length > 0 &&
    waitingFor.every(
      (wait) => wait.kind === 'approval' || (wait.kind === 'signal' && wait.deadline === undefined),
    )
  );
}

/** The run as the model reads it. `started`: by this call, so that its failure is one of the call. */
export async function runResult(
  agent: Agent,
  run: Run,
  signal: AbortSignal,
  started: boolean,
): Promise<AgentToolResult> {
  const { runs } = agent.client;
  const [log, calls] = await Promise.all([
    readLog(agent, run, signal),
    needsCalls(run) ? readCalls(runs, run, signal) : [],
  ]);
  const text = runText(run, { log, calls }, agent.settings);
  const failed = run.state !== 'completed' && hasEnded(run);
  return { text, isError: started && failed, run };
}

async function readLog(agent: Agent, run: Run, signal: AbortSignal): Promise<string | undefined> {
  if (agent.settings.logLines === 0) return '';
  try {
    // Where no script worker is up to ask, the rest is worth telling all the same.
    const options = { signal, maxRetries: 0 };
    return (await agent.client.runs.log(run.id, { limit: LOG_BYTES }, options)).text;
  } catch (error) {
    if (ServerError.isInstance(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

function needsCalls(run: Run): boolean {
  if (run.calls === 0) return false;
  if (hasEnded(run)) return run.state !== 'completed';
  return run.waitingFor.some(({ kind }) => kind === 'approval');
}

/** The last calls, and of the earlier ones those that the text tells of. */
async function readCalls(
  runs: Agent['client']['runs'],
  run: Run,
  signal: AbortSignal,
): Promise<TraceEntry[]> {
  const first = Math.max(1, run.calls - TRACE_CALLS + 1);
  const approvals = run.waitingFor.flatMap((wait) => (wait.kind === 'approval' ? [wait.seq] : []));
  const asked = hasEnded(run) ? [run.error?.seq ?? first] : approvals.slice(0, TRACE_CALLS);
  const early = asked.filter((seq) => seq < first);
  const entries: TraceEntry[] = [];
  for (const seq of early) {
    const page = await runs.trace(run.id, { from: seq, limit: 1 }, { signal });
    entries.push(...page.data);
  }
  const page = await runs.trace(run.id, { from: first, limit: TRACE_CALLS }, { signal });
  for await (const entry of page) {
    entries.push(entry);
    if (entry.seq >= run.calls) break;
  }
  return entries;
}
