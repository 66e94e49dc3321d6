/** Temporal's own worker: `workflows` or `activities`, each in a process of its own. */
import { NativeConnection, Worker } from '@temporalio/worker';

async function main([part, address, namespace]: string[]): Promise<void> {
  const connection = await NativeConnection.connect({ address: address ?? '' });
  const common = { connection, namespace: namespace ?? '' };
  const worker =
    part === 'workflows'
      ? await Worker.create({
          ...common,
          taskQueue: 'native',
          workflowsPath: require.resolve('./workflows'),
          reuseV8Context: true,
          maxCachedWorkflows: 4000,
        })
      : await Worker.create({
          ...common,
          taskQueue: 'native-activities',
          activities: { echo: (input: { n: number }) => Promise.resolve(input) },
          maxConcurrentActivityTaskExecutions: 200,
        });
  process.stdout.write('ready\n');
  await worker.run();
}

void main(process.argv.slice(2));
