import type { TraceEntry } from '../../protocol/run';
import { between, count } from './amounts';
import { toolText } from './escape';
import { literal, nextCall } from './values';

/** How many of the last calls are shown. */
export const TRACE_CALLS = 20;

/** `crm.find_customer({"email":"ada@example.com"})`. */
export function callText(call: { tool: string; input: unknown }): string {
  return `${toolText(call.tool)}(${literal(call.input)})`;
}

/** One line of a trace. */
export function traceLine(entry: TraceEntry): string {
  const at = entry.line === undefined ? '' : ` line ${entry.line},`;
  const parts = [`#${entry.seq}${at} ${callText(entry)} ${outcomeText(entry)}`];
  if (entry.fromRecord) parts.push('from the record');
  else if (entry.startedAt !== undefined && entry.endedAt !== undefined) {
    parts.push(between(entry.startedAt, entry.endedAt));
  }
  if (entry.deferred) parts.push('deferred');
  else if (!entry.fromRecord && entry.attempt > 0) parts.push(`attempt ${entry.attempt}`);
  if (entry.decidedBy !== undefined) {
    const what = entry.error?.code === 'denied' ? 'denied' : 'approved';
    const note = entry.decisionNote === undefined ? '' : `: ${literal(entry.decisionNote)}`;
    parts.push(`${what} by ${literal(entry.decidedBy)}${note}`);
  }
  return parts.join(', ');
}

function outcomeText({ state, error }: TraceEntry): string {
  if (state === 'failed') {
    const code = error?.code;
    if (error?.outcomeUnknown || code === 'outcome_unknown') return 'outcome unknown';
    return code === undefined || code === 'failed'
      ? 'failed'
      : `failed (${code.replace(/_/g, ' ')})`;
  }
  return state === 'awaiting_approval' ? 'awaits approval' : state;
}

/** The last calls under their headline. `total` counts also those before. */
export function traceLines(entries: readonly TraceEntry[], total: number, run: string): string[] {
  if (total === 0 || entries.length === 0) return [];
  const shown = entries.slice(-TRACE_CALLS);
  const head =
    shown.length >= total
      ? `Trace (${count(total, 'call')}):`
      : `Trace (last ${shown.length} of ${total} calls). All: ${nextCall('get_run', { run_id: run, part: 'trace' })}`;
  return [head, ...shown.map(traceLine)];
}
