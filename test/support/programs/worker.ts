/** A host-tool worker as a process of its own, for tests that kill it. */
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rewind } from '@rewind.codes/sdk';

// Counts what this process listens on: a worker must listen on nothing.
let listening = 0;
const { listen } = createServer().constructor.prototype as {
  listen: (...args: unknown[]) => Server;
};
(createServer().constructor.prototype as { listen: unknown }).listen = function (
  this: Server,
  ...args: unknown[]
) {
  listening += 1;
  return listen.apply(this, args);
};

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `blockMs`: the first attempt holds up the event loop for so long, heartbeats included. */
const handler = async (
  { ms = 0, blockMs = 0 }: { ms?: number; blockMs?: number },
  ctx: { attempt: number; idempotencyKey: string; signal: AbortSignal },
) => {
  const call = `${ctx.idempotencyKey} ${ctx.attempt}`;
  say(`entered ${call}`);
  const until = Date.now() + blockMs;
  while (ctx.attempt === 1 && Date.now() < until);
  await sleep(ms);
  say(`left ${call} aborted=${ctx.signal.aborted}`);
  return { pid: process.pid, attempt: ctx.attempt };
};

const controller = new AbortController();
const worker = new Rewind().worker({
  tools: { 'child.retry': handler, 'child.once': handler },
  pollWait: (process.env['REWIND_POLL_WAIT'] ?? '2s') as '2s',
  signal: controller.signal,
});
/** By the worker's own method, or by the `signal` that it was given. */
const stop = () => {
  if (process.env['REWIND_STOP'] !== 'signal') return worker.stop();
  controller.abort();
  return worker.done;
};
process.on('SIGTERM', () => {
  const asked = Date.now();
  say('stopping');
  void stop().then(() => {
    const stopped = Date.now();
    say(`stopped, ${listening} listening`);
    process.once('exit', () => {
      say(`stopped after ${stopped - asked} ms, gone ${Date.now() - stopped} ms later`);
    });
  });
});
say('claiming');
