/** Replays one recorded history, cold, and says how long that took. */
import { readFileSync } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';

async function main([file = '', bundle = '', workflowId = '']: string[]): Promise<void> {
  const history = historyFromJSON(JSON.parse(readFileSync(file, 'utf8')));
  const options = { workflowBundle: { codePath: bundle }, reuseV8Context: true };
  for (let round = 0; round < 2; round += 1) {
    const from = performance.now();
    await Worker.runReplayHistory(options, history, workflowId);
    // The first one compiles.
    if (round === 1) process.stdout.write(`ms ${performance.now() - from}\n`);
  }
  process.exit(0);
}

void main(process.argv.slice(2));
