/**
 * Records the histories of this folder anew: `npx tsx test/replay/record.ts`. Those of a release are
 * never changed: a change that cannot replay them needs `patched`, or another engine tag.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Client, Connection } from '@temporalio/client';
import { HostToolError } from '@rewind.codes/sdk';
import globalSetup, { shared } from '../support/global-setup';
import { eventually } from '../support/eventually';
import { startRewind } from '../support/rewind';
import { scenes } from './scenes';

async function record(): Promise<void> {
  await globalSetup();
  const rewind = await startRewind();
  const client = rewind.client();
  const object = { type: 'object', additionalProperties: true };
  const number = { ...object, properties: { n: { type: 'number' } }, required: ['n'] };
  const { id: toolset } = await client.toolsets.create({
    tools: {
      'scene.echo': { description: 'Echo.', input: number, output: number },
      'scene.fail': { description: 'Fail.', input: object },
      'scene.flaky': { description: 'Works the second time.', input: object },
      'scene.ask': { description: 'Answered later.', input: object, policy: 'at_most_once' },
    },
  });
  let token = '';
  const worker = client.worker({
    pollWait: '2s',
    tools: {
      'scene.echo': (input: unknown) => input,
      'scene.fail': ({ message, data }: { message: string; data?: unknown }) => {
        throw new HostToolError(message, { data });
      },
      'scene.flaky': (_input, { attempt }) => {
        if (attempt < 3) throw new HostToolError('busy', { retryable: true, retryAfter: '50ms' });
        return attempt;
      },
      'scene.ask': async (_input, ctx) => void (token = (await ctx.defer()).token),
    },
  });
  const { runs } = client.namespace('ada');
  const connection = await Connection.connect({ address: rewind.temporal.address });
  const temporal = new Client({ connection, namespace: rewind.temporal.namespace });
  const folder = join(__dirname, 'histories');
  mkdirSync(folder, { recursive: true });
  for (const [name, { script, ttl, signals = [], cancel }] of Object.entries(scenes)) {
    const { id } = await runs.create({
      script,
      toolset,
      labels: { scene: name },
      ...(ttl ? { ttl } : {}),
    });
    for (const [signal, payload] of signals) await runs.signal(id, signal, payload);
    if (script.includes('scene.ask'))
      await client.tasks.complete(await eventually(() => token), 'yes');
    if (cancel) {
      await eventually(async () => (await runs.retrieve(id)).state === 'waiting');
      await runs.cancel(id);
    }
    const { state } = await runs.wait(id);
    const json = JSON.parse(
      historyToJSON(await temporal.workflow.getHandle(id).fetchHistory()),
    ) as object;
    const recorded = { workflowId: id, state, history: withoutMachine(json) };
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded, null, 1)}\n`);
    process.stdout.write(`${name}: ${state}\n`);
  }
  await worker.stop();
  await connection.close();
  await rewind.stop();
  await shared.rewindTest?.server.stop();
}

/** Host names, process ids and paths of whoever records are nobody's business. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  // The name of a worker's own task queue: process and host.
  if (typeof value === 'string') return value.replace(/^\d+@.*$/, 'script-worker');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) => !['identity', 'stackTrace', 'workerVersion', 'binaryChecksum'].includes(key),
      )
      .map(([key, part]) => [key, withoutMachine(part)]),
  );
}

void record().then(() => process.exit(0));
