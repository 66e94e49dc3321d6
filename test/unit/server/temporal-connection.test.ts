import { expect, test } from '@jest/globals';
import { connectTemporal, temporalTarget } from '../../../server/temporal-connection';
import { freePort } from '../../../server/ports';

const noFile = { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' };

test("the target comes from Temporal's own environment configuration", () => {
  const target = temporalTarget({
    ...noFile,
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_NAMESPACE: 'agents.acct',
    TEMPORAL_API_KEY: 'secret',
  });
  expect(target.namespace).toBe('agents.acct');
  expect(target.options).toMatchObject({
    address: 'temporal.example:7233',
    apiKey: 'secret',
    tls: true,
  });
});

test('without TEMPORAL_NAMESPACE the namespace is "rewind", never Temporal\'s "default"', () => {
  expect(temporalTarget({ ...noFile, TEMPORAL_ADDRESS: 'a:1' }).namespace).toBe('rewind');
  expect(temporalTarget({}, '127.0.0.1:1').namespace).toBe('rewind');
});

test('where no server answers, the message names the address and the variable', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await expect(
    connectTemporal({ namespace: 'rewind', options: { address } }, { withinMs: 500 }),
  ).rejects.toThrow(`No Temporal server answers at ${address}. Is TEMPORAL_ADDRESS right?`);
});
