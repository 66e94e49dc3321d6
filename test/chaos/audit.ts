import type { Run } from '@rewind.codes/sdk';
import type { LedgerLine } from './ledger';
import { SIGNALS, type Output, type Seen } from './script';

export interface Audit {
  calls: number;
  /** Failures that the scripts caught, by code. */
  caught: Record<string, number>;
  /** What must never be, one line each. */
  losses: string[];
  doubles: string[];
  stuck: string[];
}

/** Compares what the scripts saw with what really happened. */
export function audit(runs: Run[], ledger: LedgerLine[]): Audit {
  const found: Audit = { calls: 0, caught: {}, losses: [], doubles: [], stuck: [] };
  const lines = new Map<string, LedgerLine[]>();
  for (const line of ledger) {
    const place = `${line.run} #${line.seq}`;
    lines.set(place, [...(lines.get(place) ?? []), line]);
  }
  for (const [place, events] of lines) checkEntries(found, place, events);
  const values = new Map<string, string>();
  for (const line of ledger) {
    if (line.what === 'finished' || line.what === 'answered') {
      values.set(line.value, `${line.run} #${line.seq}`);
    }
  }
  for (const run of runs) checkRun(found, run, lines, values);
  return found;
}

function checkEntries(found: Audit, place: string, events: LedgerLine[]): void {
  const entries = events.filter((event) => event.what === 'entered');
  const [first] = entries;
  if (!first) return;
  if (first.tool.endsWith('once') && entries.length > 1) {
    found.doubles.push(`${place} ${first.tool} was entered ${entries.length} times`);
  }
  if (new Set(entries.map(({ key }) => key)).size > 1) {
    found.doubles.push(`${place} ${first.tool} had several idempotency keys`);
  }
  if (entries.some(({ attempt }) => attempt < 1 || attempt > 5)) {
    found.doubles.push(`${place} ${first.tool} had an attempt beyond the fifth`);
  }
}

function checkRun(
  found: Audit,
  run: Run,
  lines: Map<string, LedgerLine[]>,
  values: Map<string, string>,
): void {
  if (run.endedAt === undefined) {
    found.stuck.push(`${run.id} is ${run.state}: ${JSON.stringify(run.waitingFor)}`);
    return;
  }
  if (run.state !== 'completed') {
    found.losses.push(`${run.id} ${run.state}: ${JSON.stringify(run.error)}`);
    return;
  }
  const { seen, signals } = run.output as Output;
  const expected = Array.from({ length: SIGNALS }, (_, index) => index + 1);
  if (signals.join() !== expected.join()) {
    found.losses.push(`${run.id} got the signals ${signals.join()}`);
  }
  found.calls += seen.length;
  for (const one of seen) checkCall(found, run.id, one, lines, values);
}

function checkCall(
  found: Audit,
  run: string,
  { tool, value, error }: Seen,
  lines: Map<string, LedgerLine[]>,
  values: Map<string, string>,
): void {
  if (value !== undefined) {
    if (!values.get(value)?.startsWith(`${run} `)) {
      found.losses.push(`${run} ${tool} gave ${value}, which no handler of it made`);
    }
    return;
  }
  if (!error) return;
  found.caught[error.code] = (found.caught[error.code] ?? 0) + 1;
  const place = `${run} #${error.seq}`;
  const entered = (lines.get(place) ?? []).some(({ what }) => what === 'entered');
  if (error.code === 'outcome_unknown' && error.outcomeUnknown && tool.endsWith('once')) return;
  const taken = (lines.get(place) ?? []).some(
    (line) => line.what === 'answered' && line.how === 'taken',
  );
  if (error.code === 'timed_out' && tool.startsWith('chaos.later') && entered && !taken) return;
  if (error.code === 'attempts_exhausted' && !tool.endsWith('once') && entered) return;
  found.losses.push(
    `${place} ${tool} failed: ${JSON.stringify(error)}, entered: ${entered}, answered: ${taken}`,
  );
}
