import { median, type Measured } from './measure';

/** A line for each measure: medians, the spread, the ratio, and whether the goal is met. */
export function report(results: Measured[]): string {
  const rows = results.map((result) => {
    const ours = median(result.rewind);
    const theirs = result.native.length > 0 ? median(result.native) : undefined;
    return [
      result.name,
      `${short(ours)} ${result.unit} (${spread(result.rewind)})`,
      theirs === undefined ? '' : `${short(theirs)} ${result.unit} (${spread(result.native)})`,
      theirs === undefined ? '' : (ours / theirs).toFixed(2),
      goalOf(result, ours, theirs),
    ];
  });
  const table = [['measure', 'rewind', 'native', 'ratio', 'goal'], ...rows];
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  const text = table.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join('  '));
  return [...text, '', ...results.flatMap(cpuOf)].join('\n');
}

function goalOf({ goal }: Measured, ours: number, theirs: number | undefined): string {
  if ('value' in goal) return `≤ ${goal.value}: ${ours <= goal.value ? 'met' : 'missed'}`;
  const ratio = ours / (theirs ?? NaN);
  const met = goal.at === 'most' ? ratio <= goal.ratio : ratio >= goal.ratio;
  return `${goal.at === 'most' ? '≤' : '≥'} ${goal.ratio}: ${met ? 'met' : 'missed'}`;
}

/** Seconds of CPU of each process in one round, as a median. */
function cpuOf({ name, cpu }: Measured): string[] {
  const side = (used: Measured['cpu']['rewind']) =>
    Object.entries(used)
      .map(([process, seconds]) => ({ process, seconds: median(seconds) }))
      .filter(({ seconds }) => seconds >= 0.02)
      .map(({ process, seconds }) => `${process} ${seconds.toFixed(2)}`)
      .join(', ');
  const native = side(cpu.native);
  return [
    `CPU s a round, ${name}: rewind: ${side(cpu.rewind)}${native === '' ? '' : `; native: ${native}`}`,
  ];
}

const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const spread = (values: number[]) => `${short(Math.min(...values))}–${short(Math.max(...values))}`;
