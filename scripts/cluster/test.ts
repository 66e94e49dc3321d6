/** The integration suite, or a part of it, on a real cluster: `npm run test:cluster -- <jest's arguments>`. */
import { spawn } from 'node:child_process';
import { startCluster } from './cluster';

async function main(): Promise<number> {
  const cluster = await startCluster();
  console.log(`Temporal at ${cluster.address}, its log in ${cluster.logFile}`);
  try {
    const jest = require.resolve('jest/bin/jest');
    const args = [jest, ...process.argv.slice(2), '--selectProjects', 'integration'];
    const child = spawn(process.execPath, args, {
      env: {
        ...process.env,
        REWIND_TEST_TEMPORAL_ADDRESS: cluster.address,
        REWIND_TEST_DATABASE_URL: cluster.databaseUrl,
      },
      stdio: 'inherit',
    });
    // Ctrl-C reaches jest by itself; what is left here is to clean up after it.
    process.on('SIGINT', () => undefined).on('SIGTERM', () => child.kill());
    return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    await cluster.stop();
  }
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
