// A program of its own, for a test that shows that its process ends by itself.
import { Rewind } from '../../../../sdk/index';

const worker = new Rewind().worker({
  pollWait: '2s',
  concurrency: 1,
  tools: {
    // Nothing else keeps the process alive while this waits: the worker must.
    slow: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 700).unref()),
  },
});
process.on('SIGTERM', () => void worker.stop().then(() => process.stdout.write('stopped\n')));
process.on('unhandledRejection', () => process.stdout.write('unhandled\n'));
