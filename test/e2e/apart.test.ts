import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Rewind } from '../../sdk/index';
import { startProgram, type ChildProgram } from '../support/child-process';
import { startPostgres, type TestPostgres } from '../support/postgres';
import { createTestNamespace, type TestNamespace } from '../support/temporal-server';

// The parts as operators run them: two gateways and a script worker over one PostgreSQL.
let postgres: TestPostgres;
let temporal: TestNamespace;
let stateDir: string;
const programs: ChildProgram[] = [];
const apiKey = `rw_${randomUUID()}`;
beforeAll(async () => {
  postgres = await startPostgres();
  temporal = await createTestNamespace();
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-apart-'));
}, 120_000);
afterAll(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  await temporal.close();
  await postgres.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

function rewind(command: string, env: NodeJS.ProcessEnv = {}): ChildProgram {
  return startProgram('server/main.ts', [command, '--state', stateDir], {
    env: {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      REWIND_DATABASE_URL: postgres.url,
      REWIND_SEAL_KEYS: 'a seal key of at least 32 characters',
      REWIND_ROOT_KEY: apiKey,
      REWIND_PORT: '0',
      ...env,
    },
  });
}

async function gateway(): Promise<Rewind> {
  const program = rewind('gateway');
  programs.push(program);
  const [, baseURL = ''] = await program.line(/"url":"([^"]+)".*"ready"/);
  return new Rewind({ apiKey, baseURL });
}

test('"rewind migrate" can be run by several at once, and again', async () => {
  const migrations = [rewind('migrate'), rewind('migrate')];
  for (const migration of migrations) {
    expect({ code: await migration.exited, output: migration.output() }).toEqual({
      code: 0,
      output: 'The database is up to date.\n',
    });
  }
  expect(await rewind('migrate').exited).toBe(0);
}, 60_000);

test('"rewind doctor" finds everything there', async () => {
  const doctor = rewind('doctor');
  const code = await doctor.exited;
  expect({ code, output: doctor.output() }).toMatchObject({ code: 0 });
  expect(doctor.output()).toMatch(/^ok {4}Temporal server at .*, version \d/m);
  expect(doctor.output()).toMatch(/^ok {4}PostgreSQL$/m);
  expect(doctor.output()).not.toContain('FAIL');
}, 60_000);

test('"rewind doctor" names the server that does not answer', async () => {
  const doctor = rewind('doctor', { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(await doctor.exited).toBe(1);
  expect(doctor.output()).toMatch(/^FAIL {2}No Temporal server answers at 127\.0\.0\.1:1\./m);
}, 60_000);

test('a gateway without PostgreSQL says why it needs one', async () => {
  const alone = rewind('gateway', { REWIND_DATABASE_URL: '' });
  expect(await alone.exited).toBe(1);
  expect(alone.output()).toContain('REWIND_DATABASE_URL is not set');
}, 60_000);

test('a run started at one gateway is seen by the other, and goes on when a script worker comes', async () => {
  const [one, other] = await Promise.all([gateway(), gateway()]);
  const tools = { noop: { description: 'Nothing.', input: { type: 'object' } } };
  const toolset = await one.toolsets.create({ tools });
  const { id } = await one
    .namespace('ada')
    .runs.create({ script: 'return run.namespace;', toolset: toolset.id });
  const scriptWorker = rewind('script-worker');
  programs.push(scriptWorker);
  await scriptWorker.line(/"ready"/);
  const run = await other.namespace('ada').runs.wait(id);
  expect(run).toMatchObject({ state: 'completed', output: 'ada' });
}, 120_000);

test('each part stops cleanly on SIGTERM', async () => {
  for (const program of programs.splice(0)) {
    const code = await program.kill('SIGTERM');
    expect({ code, output: program.output() }).toMatchObject({ code: 0 });
  }
}, 60_000);
