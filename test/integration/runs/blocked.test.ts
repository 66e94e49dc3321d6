import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { startRewind, type TestRewind } from '../../support/rewind';

let rewind: TestRewind;
beforeAll(async () => {
  rewind = await startRewind();
});
afterAll(() => rewind.stop());

test('FC-29: a run that blocks its thread outside of the sandbox is ended though nobody reads it, and others go on', async () => {
  const client = rewind.client();
  const { id: toolset } = await client.toolsets.create({
    tools: {
      name: {
        description: '',
        input: {
          type: 'object',
          properties: { value: { type: 'string', pattern: '^([a-z]+_?)+$' } },
          required: ['value'],
        },
      },
    },
  });
  const { runs } = client.namespace('ada');
  const ticking = await runs.create({
    toolset,
    script: 'for (let i = 0; ; i++) { await sleep("500ms"); console.log(i); }',
  });
  // The argument does not fit its schema, which takes the pattern hours to find out.
  const blocking = await runs.create({
    toolset,
    script: 'await name({ value: "snake".repeat(9) + "-" });',
  });
  // A list wakes nothing and ends nothing: this is the sweep's work.
  await eventually(
    async () => {
      const { data } = await runs.list();
      return data.find(({ id }) => id === blocking.id)?.state === 'failed';
    },
    { within: 50_000 },
  );
  expect((await runs.retrieve(blocking.id)).error).toMatchObject({
    name: 'LimitError',
    code: 'limit',
    limit: 'cpu',
    message: 'stopped: it held up its thread for more than 5 s without a wait',
  });
  const before = (await runs.log(ticking.id)).total;
  await eventually(async () => (await runs.log(ticking.id)).total > before, { within: 10_000 });
  await runs.cancel(ticking.id);
});
