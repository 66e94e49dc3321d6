import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rewind, type Run } from '@rewind.codes/sdk';
import { readQuestion } from './inbox';
import { ended, start } from './processes';
import { script } from './script';
import { tools } from './toolset';

const email = 'ada@example.com';

async function main(): Promise<void> {
  const rewind = new Rewind();
  const folder = mkdtempSync(join(tmpdir(), 'rewind-host-tools-'));
  const inbox = join(folder, 'question.json');

  console.log('Declaring the toolset');
  const toolset = await rewind.toolsets.create({ tools });
  console.log(`  ${toolset.id}: ${Object.keys(toolset.tools).join(', ')}`);

  console.log('Starting a worker, in a process of its own');
  const worker = start('worker', toolset.id, inbox);
  const workerEnded = ended(worker);
  try {
    console.log('Starting a run for the end user "ada"');
    const runs = rewind.namespace('ada').runs;
    const { id } = await runs.create({ script, toolset: toolset.id, input: { email } });
    console.log(`  ${id}`);

    console.log('Waiting until the run asks its question');
    let run = await deferred(() => runs.retrieve(id, { wait: '5s' }), inbox);
    console.log(
      `  the run is ${run.state}; it would wait for days, with no process of yours running`,
    );

    console.log('Answering, from a second process');
    assert.equal(await ended(start('answer', inbox, 'yes')), 0);

    run = await runs.wait(id);
    console.log(`The run is ${run.state}:`);
    console.log(`  output ${JSON.stringify(run.output)}`);
    for await (const call of await runs.trace(id)) {
      const outcome = call.error ? `${call.state}: ${call.error.message}` : call.state;
      console.log(`  call #${call.seq} ${call.tool}(${JSON.stringify(call.input)}) ${outcome}`);
    }
    const log = await runs.log(id);
    console.log(`  log: ${log.text.trim()}`);
    await check(run, rewind);
  } finally {
    worker.kill('SIGTERM');
    const how = await workerEnded;
    rmSync(folder, { recursive: true, force: true });
    console.log(`The worker stopped (exit code ${how})`);
    assert.equal(how, 0);
  }
  console.log('Everything went as the document says.');
}

/** The run once it waits for the answer: the question was saved and nothing else is in hand. */
async function deferred(retrieve: () => Promise<Run>, inbox: string): Promise<Run> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const run = await retrieve();
    const asked = run.waitingFor.some((wait) => wait.kind === 'tool' && wait.state === 'deferred');
    if (asked && readQuestion(inbox)) return run;
    if (run.endedAt)
      throw new Error(`the run ended too early: ${JSON.stringify(run.error ?? run)}`);
    if (Date.now() > deadline)
      throw new Error(`nothing was asked: ${JSON.stringify(run.waitingFor)}`);
    await sleep(100);
  }
}

/** What the document promises of this program. */
async function check(run: Run, rewind: Rewind): Promise<void> {
  const runs = rewind.namespace('ada').runs;
  const { data: calls } = await runs.trace(run.id);
  assert.equal(run.state, 'completed');
  assert.deepEqual(run.output, { customer: `cus_${run.id}_2`, send: true });
  assert.deepEqual(
    calls.map(({ seq, tool, state }) => [seq, tool, state]),
    [
      [1, 'crm.find_customer', 'failed'],
      [2, 'crm.create_customer', 'completed'],
      [3, 'ask_user', 'completed'],
    ],
  );
  assert.deepEqual(calls[0]?.error?.data, { code: 'not_found' });
  assert.equal(calls[0]?.error?.message, `no customer ${email}`);
  assert.deepEqual(calls[2]?.result, { answer: 'yes' });
  assert.equal((await runs.log(run.id)).text.trim(), `no customer ${email} yet`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
