import type { Run } from '../../protocol/run';
import { hasLabels } from '../../protocol/labels';
import { told, type AgentToolHandler } from '../agent';
import { count } from '../text/amounts';
import { runIdText, timeText } from '../text/escape';
import { nextCall } from '../text/values';
import { waitWords } from '../text/waits';

export const listRuns: AgentToolHandler<'list_runs'> = async (agent, call) => {
  const { state, limit = 10, cursor } = call.args;
  const { labels } = agent.settings;
  const page = await agent.client.runs.list(
    {
      limit,
      ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
      ...(state && { state }),
      ...(cursor !== undefined && { cursor }),
    },
    { signal: call.signal },
  );
  const runs = page.data.filter((run) => hasLabels(run.labels, labels));
  const more =
    page.nextCursor === undefined
      ? ''
      : `. More: ${nextCall('list_runs', { ...call.args, cursor: page.nextCursor })}`;
  if (runs.length === 0) return told(`OK: no runs${more}`);
  return told([`OK: ${count(runs.length, 'run')}, newest first${more}`, ...runs.map(row)]);
};

function row(run: Run): string {
  const since =
    run.endedAt === undefined ? `since ${timeText(run.createdAt)}` : `${timeText(run.endedAt)}`;
  const waits = waitWords(run.waitingFor);
  const calls = count(run.calls, 'call');
  return `- ${runIdText(run.id)} ${run.state} ${since}, ${calls}${waits && `: ${waits}`}`;
}
