/** A host-tool worker in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Rewind } from '@rewind.codes/sdk';

new Rewind().worker({
  tools: {
    'bench.echo': (input: unknown) => input,
    'bench.once': (input: unknown) => input,
    'bench.slow': async ({ ms }: { ms: number }) => {
      process.stdout.write('entered\n');
      await sleep(ms);
      return ms;
    },
  },
  concurrency: 100,
});
process.stdout.write('ready\n');
