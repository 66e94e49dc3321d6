import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Rewind } from '../../sdk/index';
import { startProgram, type ChildProgram } from '../support/child-process';
import { eventually } from '../support/eventually';
import { each } from '../support/each';
import { startPostgres, type TestPostgres } from '../support/postgres';
import { residentMiB, watchMemory } from '../support/resident-memory';
import { createTestNamespace, type TestNamespace } from '../support/temporal-server';

const MINUTE = 60_000;
const RUNS = Number(process.env['REWIND_TEST_MEMORY_RUNS'] ?? 1000);
const CYCLES = 500;
/** What the script worker is told that it may use. */
const BOUND_MIB = 1536;

let postgres: TestPostgres;
let temporal: TestNamespace;
let stateDir: string;
let scriptWorker: ChildProgram;
let rewind: Rewind;
const programs: ChildProgram[] = [];
const apiKey = `rw_${randomUUID()}`;
beforeAll(async () => {
  postgres = await startPostgres();
  temporal = await createTestNamespace();
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-memory-'));
  const gateway = launch('gateway', { REWIND_QUOTA_RUNS: '5000' });
  const [, baseURL = ''] = await gateway.line(/"url":"([^"]+)".*"ready"/);
  rewind = new Rewind({ apiKey, baseURL });
  scriptWorker = launch('script-worker', { REWIND_MEMORY_MIB: `${BOUND_MIB}` });
  await scriptWorker.line(/"ready"/);
}, 2 * MINUTE);
afterAll(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  await temporal.close();
  await postgres.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, MINUTE);

function launch(command: string, env: NodeJS.ProcessEnv): ChildProgram {
  const program = startProgram('server/main.ts', [command, '--state', stateDir], {
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
  programs.push(program);
  return program;
}

const alive = () => Promise.race([scriptWorker.exited, Promise.resolve('alive')]);
const runs = () => rewind.namespace('ada').runs;
const tools = { noop: { description: 'Nothing.', input: { type: 'object' } } } as const;

test(
  'FC-13: 1,000 runs that fill 4 MB each wait and end within the memory that the script worker has, in one process',
  async () => {
    const toolset = (await rewind.toolsets.create({ tools })).id;
    const script = `
      const parts: string[] = [];
      for (let i = 0; i < 40; i++) parts.push(String(i).padEnd(100_000, "x"));
      const go = await waitForSignal<string>("go");
      return [go, parts.length, parts.reduce((sum, part) => sum + part.length, 0)];`;
    const before = residentMiB(scriptWorker.pid);
    const memory = watchMemory(scriptWorker.pid);
    const ids: string[] = [];
    await each(Array.from({ length: RUNS }), 8, async () => {
      const { id } = await runs().create({ script, toolset });
      ids.push(id);
    });
    await each(ids, 8, (id) =>
      eventually(async () => (await runs().retrieve(id)).state === 'waiting', {
        within: 5 * MINUTE,
        every: 500,
      }),
    );
    const waiting = { now: residentMiB(scriptWorker.pid), most: memory.most() };
    const from = Date.now();
    await each(ids, 32, (id) => runs().signal(id, 'go', 'on'));
    await each(ids, 32, async (id) => {
      const { state, output, error } = await runs().wait(id);
      expect({ state, output, error }).toEqual({
        state: 'completed',
        output: ['on', 40, 4_000_000],
      });
    });
    const ms = Date.now() - from;
    memory.stop();
    process.stdout.write(
      `${RUNS} runs of 4 MB: ${before} MiB before, ${JSON.stringify(waiting)} waiting, ` +
        `${memory.most()} at most; signalled and ended in ${ms} ms\n`,
    );
    expect(await alive()).toBe('alive');
    expect(memory.most()).toBeLessThan(BOUND_MIB);
  },
  20 * MINUTE,
);

test(
  'FC-13: 500 runs that come and go leave no memory behind',
  async () => {
    const script = `
      const parts: string[] = [];
      for (let i = 0; i < 40; i++) parts.push(String(i).padEnd(100_000, "x"));
      return parts.length;`;
    const toolset = (await rewind.toolsets.create({ tools })).id;
    const cycle = () =>
      each(Array.from({ length: CYCLES }), 4, async () => {
        const { id } = await runs().create({ script, toolset });
        expect(await runs().wait(id)).toMatchObject({ state: 'completed', output: 40 });
      });
    await cycle();
    const after = residentMiB(scriptWorker.pid);
    const memory = watchMemory(scriptWorker.pid);
    await cycle();
    memory.stop();
    process.stdout.write(
      `${CYCLES} cycles: ${after} MiB before, ${residentMiB(scriptWorker.pid)} after, ${memory.most()} at most\n`,
    );
    // What the collector of the engine's memory has not come to yet moves up and down.
    expect(residentMiB(scriptWorker.pid)).toBeLessThan(after + 300);
    expect(memory.most()).toBeLessThan(BOUND_MIB);
    expect(await alive()).toBe('alive');
  },
  20 * MINUTE,
);
