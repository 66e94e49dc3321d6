import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { bundlePath, quietRuntime } from '../support/temporal-server';
import { scenes } from './scenes';

// Histories of real runs, recorded by record.ts. The workflow code must go through each of them in
// the same way again: a waiting run of an earlier release would otherwise never go on.

const folder = join(__dirname, 'histories');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

interface Recorded {
  workflowId: string;
  state: string;
  history: {
    events: {
      eventType: string;
      activityTaskScheduledEventAttributes?: { activityType: { name: string } };
    }[];
  };
}
const recorded = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded;

const replay = async ({ history, workflowId }: Recorded) => {
  quietRuntime();
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: bundlePath() } },
    history,
    workflowId,
  );
};

test('every scene is recorded', () => {
  expect(files.map((file) => file.replace('.json', '')).sort()).toEqual(Object.keys(scenes).sort());
});

test.each(files)('FC-19: %s replays', async (file) => {
  await replay(recorded(file));
});

test('a history that the code would not write any more is told apart', async () => {
  const changed = recorded('calls-in-sequence.json');
  for (const { activityTaskScheduledEventAttributes: scheduled } of changed.history.events) {
    if (scheduled) scheduled.activityType.name = 'scene.other';
  }
  await expect(replay(changed)).rejects.toBeInstanceOf(DeterminismViolationError);
});
