/** A host-tool worker that writes into the ledger what its handlers do. Killed at any moment. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rewind, type HostToolContext } from '@rewind.codes/sdk';
import { Ledger } from './ledger';

const ledger = new Ledger(process.argv[2] ?? '');

function enter(tool: string, { runId, seq, attempt, idempotencyKey }: HostToolContext): void {
  ledger.write({ what: 'entered', run: runId, seq, tool, attempt, key: idempotencyKey });
}

const work = (tool: string) => async (input: { ms: number }, ctx: HostToolContext) => {
  enter(tool, ctx);
  await sleep(input.ms);
  const value = randomUUID();
  ledger.write({ what: 'finished', run: ctx.runId, seq: ctx.seq, value });
  return value;
};

const later = (tool: string) => async (_input: unknown, ctx: HostToolContext) => {
  enter(tool, ctx);
  // Killed right here, the token is lost with the process: then the call times out.
  const { token } = await ctx.defer({ timeout: '20s' });
  ledger.write({ what: 'deferred', run: ctx.runId, seq: ctx.seq, token });
};

new Rewind({ maxRetries: 5 }).worker({
  tools: {
    'chaos.retry': work('chaos.retry'),
    'chaos.once': work('chaos.once'),
    'chaos.later': later('chaos.later'),
    'chaos.later_once': later('chaos.later_once'),
  },
  concurrency: 8,
  pollWait: '5s',
  // Broken connections are what this is about.
  onError: () => undefined,
});
process.stdout.write('claiming\n');
