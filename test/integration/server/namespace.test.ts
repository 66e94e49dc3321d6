import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ensureNamespace, inspectNamespace } from '../../../server/namespace';
import { createTestNamespace, type TestNamespace } from '../../support/temporal-server';

let temporal: TestNamespace;
beforeAll(async () => {
  temporal = await createTestNamespace();
});
afterAll(() => temporal.close());

test('a registered namespace keeps ended runs for 30 days and has every search attribute', async () => {
  expect(await inspectNamespace(temporal.connection, temporal.namespace)).toEqual({
    exists: true,
    retentionDays: 30,
    missing: [],
  });
});

test('ensuring a namespace again finds nothing left to do', async () => {
  expect(await ensureNamespace(temporal.connection, temporal.namespace)).toEqual([]);
});

test('a namespace of somebody else with less retention is left as it is, with a warning', async () => {
  const namespace = `${temporal.namespace}-short`;
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
  });
  const problems = await ensureNamespace(temporal.connection, namespace);
  expect(problems).toEqual([
    {
      fatal: false,
      message: expect.stringContaining('1 d, less than 30 d'),
      command: `temporal operator namespace update --namespace ${namespace} --retention 30d`,
    },
  ]);
});

test('looking at a namespace that is not there registers nothing', async () => {
  const namespace = `${temporal.namespace}-absent`;
  const state = await inspectNamespace(temporal.connection, namespace);
  expect(state.exists).toBe(false);
  expect((await inspectNamespace(temporal.connection, namespace)).exists).toBe(false);
});
