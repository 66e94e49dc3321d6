import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConnectionError, Rewind } from '@rewind.codes/sdk';
import { freePort } from '../../../server/ports';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

// FC-27: nothing waits longer than it says, whoever is missing.
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const begun = Date.now();
  return [await work, Date.now() - begun];
};

test('FC-27: without a worker for its tool, a run answers in its time and says what it waits for', async () => {
  const { id } = await stage.create('return await nobody.home();');
  await eventually(async () => (await stage.runs().retrieve(id)).state === 'waiting');
  const [run, ms] = await timed(stage.runs().retrieve(id, { wait: '2s' }));
  expect(ms).toBeLessThan(7000);
  expect(run).toMatchObject({
    id,
    state: 'waiting',
    waitingFor: [{ kind: 'tool', tool: 'nobody.home', state: 'pending', served: false }],
  });
  const late = stage.client.worker({ tools: { 'nobody.home': () => 'at last' }, pollWait: '5s' });
  expect((await stage.runs().wait(id)).output).toBe('at last');
  await late.stop();
});

test('FC-27: without a script worker, runs are created and read in their time, and go on later', async () => {
  let id = '';
  await stage.rewind.withoutScriptWorker(async () => {
    const [created, toCreate] = await timed(stage.create('return 1;'));
    expect(toCreate).toBeLessThan(5000);
    id = created.id;
    const [run, toRead] = await timed(stage.runs().retrieve(id, { wait: '2s' }));
    expect(run).toMatchObject({ state: 'running', waitingFor: [] });
    expect(toRead).toBeLessThan(7000);
    await expect(
      stage.rewind.client({ maxRetries: 0 }).namespace('ada').runs.log(id),
    ).rejects.toMatchObject({ code: 'unavailable' });
    await stage.runs().signal(id, 'go');
  });
  expect(await stage.runs().wait(id)).toMatchObject({ state: 'completed', output: 1 });
});

test('FC-27: without a gateway the client throws at once', async () => {
  const baseURL = `http://127.0.0.1:${await freePort()}`;
  const client = new Rewind({ apiKey: 'rw_nobody', baseURL, maxRetries: 1 }).namespace('ada');
  const begun = Date.now();
  const created = client.runs.create({ script: 'return 1;', toolset: stage.toolset });
  await expect(created).rejects.toBeInstanceOf(ConnectionError);
  expect(Date.now() - begun).toBeLessThan(10_000);
});
