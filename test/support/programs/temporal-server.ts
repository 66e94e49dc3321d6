import { join } from 'node:path';
import { startTemporalServer } from '../../../server/temporal-server';

// Starts a Temporal server on the state folder given, says its pid, and lives until it is killed.
const stateDir = process.argv[2];
if (stateDir === undefined) throw new Error('usage: temporal-server.ts <state folder>');
void startTemporalServer({ stateDir, logFile: join(stateDir, 'temporal.log') }).then(
  ({ pid, address }) => process.stdout.write(`pid ${pid} at ${address}\n`),
);
