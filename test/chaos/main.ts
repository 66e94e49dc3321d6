/**
 * Kills and disconnects the processes of a whole system at random, while it works, and then compares
 * what its scripts saw with what really happened. `npm run chaos -- --minutes 60 --seed 7`.
 */
import { parseArgs } from 'node:util';
import { audit } from './audit';
import { disturb } from './disorder';
import { Load } from './load';
import { Random } from './random';
import { openStage } from './stage';

/** A run is stuck that has not ended so long after everything is up and connected again. */
const SETTLE_MS = 150_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    streams: { type: 'string', default: '6' },
    keep: { type: 'boolean', default: false },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  say(`seed ${seed}, ${values.minutes} min`);
  const stage = await openStage();
  const end = () => void stage.stop().finally(() => process.exit(130));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const tool = (policy: 'retry' | 'at_most_once') => ({
      description: 'Works, more or less.',
      input: { type: 'object' },
      policy,
      lease: '2s' as const,
    });
    const { id: toolset } = await stage.client.toolsets.create({
      tools: {
        'chaos.retry': tool('retry'),
        'chaos.once': tool('at_most_once'),
        'chaos.later': tool('retry'),
        'chaos.later_once': tool('at_most_once'),
      },
    });
    const load = new Load(stage, new Random(seed + 1), toolset);
    load.begin(Number(values.streams));
    const disorder = await disturb(stage, new Random(seed), Number(values.minutes) * 60_000);
    say('everything is up again');
    const from = Date.now();
    const runs = await load.finish(SETTLE_MS);
    const result = audit(runs, stage.ledger.read());
    result.losses.push(...load.faults);
    say(`settled in ${Math.round((Date.now() - from) / 1000)} s`);
    say(`kills   ${JSON.stringify(disorder.kills)}`);
    say(`links   ${disorder.cuts} cuts, ${disorder.stalls} stalls`);
    say(`runs    ${runs.length}`);
    say(`calls   ${result.calls}, caught ${JSON.stringify(result.caught)}`);
    for (const kind of ['losses', 'doubles', 'stuck'] as const) {
      say(`${kind.padEnd(7)} ${result[kind].length}`);
      for (const line of result[kind]) say(`        ${line}`);
    }
    return (
      result.losses.length + result.doubles.length + result.stuck.length === 0 && runs.length > 0
    );
  } finally {
    if (values.keep) say(`kept in ${stage.folder}`);
    await stage.stop();
  }
}

void main().then(
  (good) => process.exit(good ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  },
);
