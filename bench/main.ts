/** Measures Rewind beside native Temporal workflows, on one server, in one run: `npm run bench`. */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { take, type Measured } from './measure';
import { runMeasures } from './measures/runs';
import { stateMeasures } from './measures/states';
import { report } from './report';
import { openStage } from './stage';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});

/** `--only` names parts of names, with commas between. */
const wanted = (name: string) =>
  values.only?.split(',').some((part) => name.includes(part)) ?? true;

async function main(): Promise<void> {
  const stage = await openStage();
  const end = () => void stage.stop().finally(() => process.exit(130));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const results: Measured[] = [];
    for (const measure of [...runMeasures, ...stateMeasures]) {
      if (!wanted(measure.name)) continue;
      process.stderr.write(`${measure.name} …\n`);
      const measured = await take(stage, measure, Number(values.rounds));
      process.stderr.write(`${report([measured])}\n\n`);
      results.push(measured);
    }
    const [cpu] = cpus();
    process.stdout.write(
      `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n\n`,
    );
    process.stdout.write(`${report(results)}\n`);
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2));
  } catch (error) {
    // At once: what is taken down may fail in its own way.
    console.error(error);
    process.exitCode = 1;
  } finally {
    await stage.stop();
  }
}

void main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
