import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random';
import type { Part, Stage } from './stage';

export interface Disorder {
  kills: Record<Part['kind'], number>;
  cuts: number;
  stalls: number;
}

/** So often each kind is chosen: what everything else stands on falls more rarely. */
const kinds: Part['kind'][] = [
  ...Array<Part['kind']>(4).fill('worker'),
  ...Array<Part['kind']>(3).fill('gateway'),
  ...Array<Part['kind']>(3).fill('script worker'),
  'temporal',
  'postgres',
];

/** Kills, cuts and stalls at random for so long; then everything is up and connected again. */
export async function disturb(stage: Stage, random: Random, ms: number): Promise<Disorder> {
  const done: Disorder = {
    kills: { temporal: 0, postgres: 0, gateway: 0, 'script worker': 0, worker: 0 },
    cuts: 0,
    stalls: 0,
  };
  const rising: Promise<void>[] = [];
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
    await sleep(random.between(300, 3000));
    const link = random.pick([stage.links.front, stage.links.front, stage.links.back]);
    const dice = random.next();
    if (dice < 0.25) {
      link.cut();
      done.cuts += 1;
    } else if (dice < 0.4) {
      if (random.next() < 0.5) link.blackhole();
      else link.refuse();
      done.stalls += 1;
      const stalledMs = random.between(500, 5000);
      rising.push(sleep(stalledMs).then(() => link.restore()));
    } else {
      const kind = random.pick(kinds);
      const part = stage.parts.find((each) => each.kind === kind && each.up);
      const downMs = random.between(0, 4000);
      if (!part) continue;
      done.kills[kind] += 1;
      await part.kill();
      rising.push(sleep(downMs).then(() => part.start()));
    }
  }
  await Promise.all(rising);
  for (const link of Object.values(stage.links)) link.restore();
  return done;
}
