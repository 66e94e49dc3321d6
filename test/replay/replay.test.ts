import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { bundlePath, quietRuntime } from '../support/temporal-server';

// Histories of real runs, replayed by the workflow code of now: every command has to be the same.
// How they are recorded, and why old ones stay as they are: see record.ts.
interface Recorded {
  workflowId: string;
  history: { events: Record<string, unknown>[] };
}

const folder = join(__dirname, 'histories');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort();
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded;

let options: ReplayWorkerOptions;
beforeAll(() => {
  quietRuntime();
  options = { workflowBundle: { codePath: bundlePath() }, reuseV8Context: true };
});

const replay = ({ workflowId, history }: Recorded) =>
  Worker.runReplayHistory(options, history, workflowId);

test('there is a history of every way in which a run goes on and ends', () => {
  const names = files.map((file) => basename(file, '.json'));
  expect(names).toEqual(
    expect.arrayContaining([
      'canceled',
      'clock-and-chance',
      'deferred-answers',
      'expired',
      'failed-with-an-error',
      'failures-and-retries',
      'late-worker',
      'limit',
      'parallel-calls',
      'sequential-calls',
      'signals-and-sleeps',
    ]),
  );
});

test.each(files)('FC-19: %s goes as it was recorded', async (file) => {
  await replay(read(file));
});

test('a history that goes another way is found out', async () => {
  const recorded = read(files.find((file) => file.endsWith('sequential-calls.json'))!);
  const text = JSON.stringify(recorded).replace('"activityId":"3.1"', '"activityId":"4.1"');
  await expect(replay(JSON.parse(text) as Recorded)).rejects.toBeInstanceOf(
    DeterminismViolationError,
  );
});
