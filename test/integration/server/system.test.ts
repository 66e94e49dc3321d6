import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startRewind, type TestRewind } from '../../support/rewind';

let rewind: TestRewind;
let toolset: string;
beforeAll(async () => {
  rewind = await startRewind();
  const tools = { noop: { description: 'Nothing.', input: { type: 'object' } } };
  toolset = (await rewind.client().toolsets.create({ tools })).id;
}, 120_000);
afterAll(() => rewind.stop(), 60_000);

test('a run that waits goes on with a script worker that never saw it', async () => {
  const runs = rewind.client().namespace('ada').runs;
  const script = `
    const seen = [];
    for (const name of ["first", "second"]) seen.push(await waitForSignal(name));
    return seen;`;
  const { id } = await runs.create({ script, toolset });
  await runs.signal(id, 'first', 1);
  await rewind.restartScriptWorker();
  await runs.signal(id, 'second', 2);
  expect(await runs.wait(id)).toMatchObject({ state: 'completed', output: [1, 2] });
});

test('a signal that comes while no script worker is up is not lost', async () => {
  const runs = rewind.client().namespace('ada').runs;
  const script = 'return await waitForSignal("go");';
  const { id } = await runs.create({ script, toolset });
  const restarted = rewind.restartScriptWorker();
  await runs.signal(id, 'go', 'yes');
  await restarted;
  expect(await runs.wait(id)).toMatchObject({ state: 'completed', output: 'yes' });
});
