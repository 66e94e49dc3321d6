import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../../server/temporal-connection';
import { temporalAddress } from '../../support/temporal-server';

test('both connections take messages of up to 128 MB, and polls are not repeated behind our back', async () => {
  const temporal = await connectTemporal({
    namespace: 'default',
    options: { address: temporalAddress() },
  });
  try {
    for (const connection of [temporal.connection, temporal.pollConnection]) {
      expect(connection.options.channelArgs).toMatchObject({
        'grpc.max_receive_message_length': 134_217_728,
      });
      await connection.workflowService.getSystemInfo({});
    }
    expect(temporal.connection.options.interceptors).toHaveLength(1);
    expect(temporal.pollConnection.options.interceptors).toHaveLength(0);
  } finally {
    await temporal.close();
  }
});
