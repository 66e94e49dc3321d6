import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureNamespace, inspectNamespace } from '../../../server/namespace';
import { isAlive } from '../../../server/processes';
import { connectTemporal } from '../../../server/temporal-connection';
import { startTemporalServer } from '../../../server/temporal-server';
import { startProgram } from '../../support/child-process';
import { eventually } from '../../support/eventually';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-temporal-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));
const options = () => ({ stateDir, logFile: join(stateDir, 'temporal.log') });

/** Runs `action` with a connection to a server on the state folder, then stops the server. */
async function withServer<T>(
  action: (connection: Awaited<ReturnType<typeof connectTemporal>>['connection']) => Promise<T>,
): Promise<T> {
  const server = await startTemporalServer(options());
  try {
    const temporal = await connectTemporal({
      namespace: 'rewind',
      options: { address: server.address },
    });
    try {
      return await action(temporal.connection);
    } finally {
      await temporal.close();
    }
  } finally {
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  }
}

test('what a server of our own holds is there again after a stop and a start', async () => {
  await withServer((connection) => ensureNamespace(connection, 'rewind', { ours: true }));
  expect(await withServer((connection) => inspectNamespace(connection, 'rewind'))).toEqual({
    exists: true,
    retentionDays: 30,
    missing: [],
  });
});

test('the server does not outlive a program that is killed with SIGKILL', async () => {
  const program = startProgram('test/support/programs/temporal-server.ts', [stateDir]);
  const [, pid] = await program.line(/^pid (\d+)/);
  await program.kill('SIGKILL');
  await eventually(() => !isAlive(Number(pid)), { within: 20_000 });
});

test('a start right after a SIGKILL ends what was left and uses the same state', async () => {
  const program = startProgram('test/support/programs/temporal-server.ts', [stateDir]);
  const [, pid] = await program.line(/^pid (\d+)/);
  await program.kill('SIGKILL');
  await withServer(async (connection) => {
    expect(isAlive(Number(pid))).toBe(false);
    await connection.workflowService.getSystemInfo({});
  });
  expect(existsSync(join(stateDir, 'temporal.pid'))).toBe(false);
});
