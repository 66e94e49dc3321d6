/** A real cluster to look at, until Ctrl-C: `npm run cluster`. */
import { startCluster } from './cluster';

async function main(): Promise<void> {
  const cluster = await startCluster();
  console.log(`TEMPORAL_ADDRESS=${cluster.address}`);
  console.log(`REWIND_DATABASE_URL=${cluster.databaseUrl}`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });
  await cluster.stop();
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
