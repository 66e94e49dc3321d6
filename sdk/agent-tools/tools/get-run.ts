import { utf8Bytes } from '../../protocol/json';
import type { Run } from '../../protocol/run';
import { Mistake, told, type Agent, type AgentToolHandler, type Handling } from '../agent';
import { hasEnded, readRun, runResult } from '../runs';
import { count } from '../text/amounts';
import { traceLine } from '../text/calls';
import { headOf, quoted, runIdText } from '../text/escape';
import { outputLines, partLines, type Part } from '../text/output';
import { nextCall } from '../text/values';
import { runText } from '../text/run-text';

/** Calls of one part of a trace. */
const TRACE_PAGE = 100;

export const getRun: AgentToolHandler<'get_run'> = async (agent, call) => {
  const { run_id: id, part, offset, wait_seconds: seconds = 0 } = call.args;
  const run = await readRun(agent, id, call.signal, seconds * 1000);
  if (part === undefined && offset === undefined) return runResult(agent, run, call.signal, false);
  const lines = await readPart(agent, call, run);
  return { ...told([...headline(run), ...lines]), run };
};

async function readPart(agent: Agent, call: Handling<'get_run'>, run: Run): Promise<string[]> {
  const { part = 'output', offset = 0 } = call.args;
  switch (part) {
    case 'output':
      if (run.state !== 'completed') {
        const why = hasEnded(run) ? 'and has no output' : 'so it has no output yet';
        throw new Mistake(`Error: ${runIdText(run.id)} is ${run.state}, ${why}`);
      }
      return outputLines(run.output, run.id, offset, agent.settings.outputLimit);
    case 'trace':
      return tracePart(agent, call, run, offset);
    default:
      return textPart(agent, call, run, part, offset);
  }
}

/** Log and script are fetched part by part, since only the server has them. */
async function textPart(
  agent: Agent,
  { signal }: Handling<'get_run'>,
  run: Run,
  part: 'log' | 'script',
  offset: number,
): Promise<string[]> {
  const page = await agent.client.runs[part](
    run.id,
    { offset, limit: agent.settings.outputLimit },
    { signal },
  );
  // What cannot be shown whole is cut within this page.
  const read = (from: number, limit: number): Part => {
    const text = headOf(page.text, limit);
    return { text, offset: page.offset, end: page.offset + utf8Bytes(text), total: page.total };
  };
  return partLines({
    title: part === 'log' ? 'Log' : 'Script',
    kind: '',
    read,
    show: quoted,
    offset,
    limit: agent.settings.outputLimit,
    next: (at) => nextCall('get_run', { run_id: run.id, part, offset: at }),
  });
}

/** `offset` of a trace counts calls. */
async function tracePart(
  agent: Agent,
  { signal }: Handling<'get_run'>,
  run: Run,
  offset: number,
): Promise<string[]> {
  const page = await agent.client.runs.trace(
    run.id,
    { from: offset + 1, limit: TRACE_PAGE },
    { signal },
  );
  const [first] = page.data;
  const last = page.data.at(-1);
  if (!first || !last) return [`Trace (${count(run.calls, 'call')}, the end)`];
  const range = `calls ${first.seq} to ${last.seq} of ${Math.max(run.calls, last.seq)}`;
  const next =
    page.nextCursor === undefined || last.seq >= run.calls
      ? ', the end)'
      : `). Next part: ${nextCall('get_run', { run_id: run.id, part: 'trace', offset: last.seq })}`;
  return [`Trace (${range}${next}`, ...page.data.map(traceLine)];
}

/** The first line of the run's text, without what follows. */
function headline(run: Run): string[] {
  const text = runText(run, { log: '', calls: [] }, { outputLimit: 1, logLines: 0 });
  return text.split('\n').slice(0, 1);
}
