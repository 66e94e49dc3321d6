import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Rewind } from '../../sdk/index';
import { freePort } from '../../server/ports';
import { startProgram, type ChildProgram } from '../support/child-process';
import { eventually } from '../support/eventually';

// One system after another on the same state folder, as a user starts, kills and restarts it.
let stateDir: string;
let port: number;
let running: ChildProgram | undefined;
beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-start-'));
  port = await freePort();
});
afterAll(async () => {
  await running?.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

/** The settings of whoever runs the tests must not reach the system under test. */
const env = () => ({
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^(TEMPORAL|REWIND)_/.test(name))
      .map((name) => [name, '']),
  ),
  REWIND_PORT: String(port),
});
const launch = () => startProgram('server/main.ts', ['start', '--state', stateDir], { env: env() });
const baseURL = () => `http://127.0.0.1:${port}`;

let apiKey = '';
let waiting = '';

test('the first start prints the address, a key to export and the next command', async () => {
  running = launch();
  await running.line(/^Rewind runs at http:\/\/127\.0\.0\.1:\d+$/, { within: 120_000 });
  const [, key = ''] = await running.line(/^ {2}export REWIND_API_KEY=(rw_\S+)$/);
  apiKey = key;
  await running.line(/^ {2}npx tsx examples\/host-tools\/main\.ts$/);
  await running.line(/^Temporal's web UI: http:/);
}, 150_000);

test('the next command, typed as printed, does what it says', async () => {
  const example = startProgram('examples/host-tools/main.ts', [], {
    env: { ...env(), REWIND_API_KEY: apiKey, REWIND_BASE_URL: baseURL() },
  });
  const code = await example.exited;
  expect({ code, output: example.output() }).toMatchObject({ code: 0 });
}, 120_000);

test('a second start on the same state says which process has it', async () => {
  const second = launch();
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`Rewind runs already on ${stateDir} (process ${running?.pid})`);
}, 60_000);

test('HT-59: runs that wait, for a signal or a deferred answer, survive a kill -9 of everything and end after the next start', async () => {
  const rewind = new Rewind({ apiKey, baseURL: baseURL() });
  const toolset = await rewind.toolsets.create({
    tools: { noop: { description: 'Nothing.', input: { type: 'object' } } },
  });
  const runs = rewind.namespace('ada').runs;
  const script = 'const go = await waitForSignal("go"); return { go };';
  waiting = (await runs.create({ script, toolset: toolset.id })).id;
  const tokens: string[] = [];
  const worker = rewind.worker({
    tools: { noop: async (_input, ctx) => void tokens.push((await ctx.defer()).token) },
    pollWait: '2s',
  });
  const asking = await runs.create({ script: 'return await noop({})', toolset: toolset.id });
  const token = await eventually(() => tokens[0]);
  await eventually(async () => (await runs.retrieve(asking.id)).state === 'waiting');
  await worker.stop();
  expect(await running?.kill('SIGKILL')).toBe('SIGKILL');

  running = launch();
  await running.line(/^Rewind runs at/, { within: 120_000 });
  await runs.signal(waiting, 'go', 'now');
  expect(await runs.wait(waiting)).toMatchObject({ state: 'completed', output: { go: 'now' } });
  await rewind.tasks.complete(token, { answer: 'yes' });
  expect((await runs.wait(asking.id)).output).toEqual({ answer: 'yes' });
}, 180_000);

test('a later start says where the key is and does not show it', async () => {
  await running?.line(/^ {2}source .*env$/);
  expect(running?.output()).not.toContain(apiKey);
});

test('SIGTERM stops it cleanly', async () => {
  expect(await running?.kill('SIGTERM')).toBe(0);
  running = undefined;
}, 60_000);
