import { cpuSeconds, names, type Name, type Stage } from './stage';

/** One thing that is measured, side by side with what it is compared with. */
export interface Measure {
  name: string;
  unit: 'ms' | 'calls/s' | 'MB';
  /** Of ours to theirs, or of ours alone where nothing is compared. */
  goal: { ratio: number; at: 'most' | 'least' } | { value: number };
  rounds?: number;
  rewind: (stage: Stage, round: number) => Promise<number>;
  native?: (stage: Stage, round: number) => Promise<number>;
}

export interface Measured {
  name: string;
  unit: Measure['unit'];
  goal: Measure['goal'];
  rewind: number[];
  native: number[];
  /** Seconds of CPU of each process, round by round. */
  cpu: Record<'rewind' | 'native', Partial<Record<Name, number[]>>>;
}

/** Rounds of both in turn, so that what else the machine does meets both alike. */
export async function take(stage: Stage, measure: Measure, rounds: number): Promise<Measured> {
  const { name, unit, goal } = measure;
  const measured: Measured = {
    name,
    unit,
    goal,
    rewind: [],
    native: [],
    cpu: { rewind: {}, native: {} },
  };
  // The first one warms up.
  for (let round = 0; round <= (measure.rounds ?? rounds); round += 1) {
    for (const side of ['native', 'rewind'] as const) {
      const work = measure[side];
      if (!work) continue;
      const before = names.map((each) => cpuSeconds(stage.pid(each)));
      const value = await work(stage, round);
      if (round === 0) continue;
      measured[side].push(value);
      names.forEach((each, index) => {
        const used = cpuSeconds(stage.pid(each)) - (before[index] ?? 0);
        (measured.cpu[side][each] ??= []).push(Math.max(used, 0));
      });
    }
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Milliseconds of one piece of work. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
