import type { Run, TraceEntry, Wait } from '../../protocol/run';
import { between, place } from './amounts';
import { runIdText, timeText, toolText, word } from './escape';
import { literal, nextCall } from './values';

const MOST = 20;

/** What a run waits for, one line for each thing. `calls` knows the arguments of those to be approved. */
export function waitLines(
  run: { id?: string; waitingFor: readonly Wait[]; unreadSignals?: Run['unreadSignals'] },
  calls: readonly TraceEntry[] = [],
): string[] {
  const waits = run.waitingFor;
  const lines = waits.slice(0, MOST).map((wait) => `- ${waitLine(wait, run.id, calls)}`);
  if (waits.length === 0) lines.push('- nothing, it is computing');
  if (waits.length > MOST) lines.push(`- and ${waits.length - MOST} more`);
  const unread = (run.unreadSignals ?? []).slice(0, MOST);
  const list = unread.map(({ name, count }) => `signal ${literal(name)} (${count})`);
  const sent = list.length === 0 ? [] : [`Sent, but nothing waits for it: ${list.join(', ')}`];
  return ['Waits for:', ...lines, ...sent];
}

function waitLine(wait: Wait, run: string | undefined, calls: readonly TraceEntry[]): string {
  switch (wait.kind) {
    case 'tool':
      return `host tool ${toolText(wait.tool)}${place(wait)}: ${progress(wait)}`;
    case 'approval': {
      const call = calls.find(({ seq }) => seq === wait.seq);
      const input = call ? ` ${literal(call.input)}` : '';
      return `approval by a person of ${toolText(wait.tool)}${place(wait)}${input}`;
    }
    case 'signal': {
      const send =
        run === undefined
          ? ''
          : `. To send it: ${nextCall('signal_run', { run_id: run, name: wait.name })}`;
      return `signal ${literal(wait.name)}${place({ line: wait.line })}${until(wait.deadline)}${send}`;
    }
    case 'sleep':
      return `sleep${place({ line: wait.line })}${until(wait.until)}`;
    case 'run': {
      const what = wait.workflow === undefined ? 'a workflow' : `workflow ${word(wait.workflow)}`;
      return `${what}${place(wait)}: ${runIdText(wait.run)}`;
    }
  }
}

function progress(wait: Extract<Wait, { kind: 'tool' }>): string {
  const since = between(wait.since);
  if (wait.state === 'deferred') {
    const end =
      wait.deadline === undefined ? '' : `, to be answered until ${timeText(wait.deadline)}`;
    return `deferred${end}`;
  }
  if (wait.state === 'claimed') return `running for ${since}, attempt ${wait.attempt}`;
  return wait.served
    ? `no worker has taken it yet, ${since}`
    : `no worker has taken it yet, ${since}; none that serves it is there`;
}

const until = (time: string | undefined) => (time === undefined ? '' : ` until ${timeText(time)}`);

/** The same in a few words, for a row of a list. */
export function waitWords(waits: readonly Wait[]): string {
  const words = waits.slice(0, 3).map((wait) => {
    if (wait.kind === 'tool') return `host tool ${toolText(wait.tool)}`;
    if (wait.kind === 'approval') return `approval of ${toolText(wait.tool)}`;
    if (wait.kind === 'signal') return `signal ${literal(wait.name)}`;
    return wait.kind === 'sleep' ? 'sleep' : `run ${runIdText(wait.run)}`;
  });
  if (waits.length > 3) words.push(`${waits.length - 3} more`);
  return words.join(', ');
}
