import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Rewind } from '../../sdk/index';
import { freePort } from '../../server/ports';
import { waitForExit } from '../../server/processes';
import { startProgram, type ChildProgram } from '../support/child-process';
import { each } from '../support/each';
import { eventually } from '../support/eventually';

const MINUTE = 60_000;
const RUNS = 200;
const CALLS = 50;
const FRESH_WITHIN_MS = 5000;

let stateDir: string;
let port: number;
let running: ChildProgram;
beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-restart-'));
  port = await freePort();
});
afterAll(async () => {
  await running.kill();
  rmSync(stateDir, { recursive: true, force: true });
}, MINUTE);

/** The settings of whoever runs the tests must not reach the system under test. */
const env = () => ({
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^(TEMPORAL|REWIND)_/.test(name))
      .map((name) => [name, '']),
  ),
  REWIND_PORT: String(port),
});
async function launch(): Promise<void> {
  running = startProgram('server/main.ts', ['start', '--state', stateDir], { env: env() });
  await running.line(/^Rewind runs at/, { within: 2 * MINUTE });
}

/** Both processes at once, Temporal's own server by the pid that it left. */
async function killAll(): Promise<void> {
  const temporal = Number(readFileSync(join(stateDir, 'temporal.pid'), 'utf8'));
  process.kill(temporal, 'SIGKILL');
  expect(await running.kill('SIGKILL')).toBe('SIGKILL');
  await waitForExit(temporal, MINUTE);
}

test(
  'HT-59: 200 waiting runs with 50 calls behind each survive a kill -9 of all servers, end when signalled, and hold up no fresh run',
  async () => {
    await launch();
    const [, apiKey = ''] = await running.line(/^ {2}export REWIND_API_KEY=(rw_\S+)$/);
    const rewind = new Rewind({ apiKey, baseURL: `http://127.0.0.1:${port}` });
    const runs = rewind.namespace('ada').runs;
    const tools = { 'load.echo': { description: 'Echo.', input: { type: 'object' } } } as const;
    const toolset = (await rewind.toolsets.create({ tools })).id;
    const entered = new Map<string, number>();
    const worker = rewind.worker({
      tools: {
        'load.echo': (input: unknown, ctx) => {
          entered.set(ctx.idempotencyKey, (entered.get(ctx.idempotencyKey) ?? 0) + 1);
          return input;
        },
      },
      concurrency: 50,
      pollWait: '5s',
      onError: () => undefined,
    });
    try {
      const script = `
        let sum = 0;
        for (let n = 1; n <= ${CALLS}; n++) sum += ((await load.echo({ n })) as { n: number }).n;
        const go = await waitForSignal<string>("go");
        return [go, sum, ((await load.echo({ n: sum })) as { n: number }).n];`;
      const ids: string[] = [];
      let from = Date.now();
      await each(Array.from({ length: RUNS }), 4, async () => {
        ids.push((await runs.create({ script, toolset })).id);
      });
      await each(ids, 8, (id) =>
        eventually(async () => (await runs.retrieve(id)).state === 'waiting', {
          within: 10 * MINUTE,
          every: 500,
        }),
      );
      const prepared = Date.now() - from;

      await killAll();
      from = Date.now();
      await launch();
      const started = Date.now() - from;

      from = Date.now();
      await each(ids, RUNS, (id) => runs.signal(id, 'go', 'on'));
      const signalled = Date.now() - from;
      let over = false;
      const fresh: number[] = [];
      const starting = (async () => {
        while (!over) {
          const at = Date.now();
          const { id } = await runs.create({ script: 'return 1;', toolset });
          expect(await runs.wait(id)).toMatchObject({ state: 'completed', output: 1 });
          fresh.push(Date.now() - at);
        }
      })();
      await each(ids, 16, async (id) => {
        const { state, output, error } = await runs.wait(id);
        const sum = (CALLS * (CALLS + 1)) / 2;
        expect({ state, output, error }).toEqual({ state: 'completed', output: ['on', sum, sum] });
      });
      const ended = Date.now() - from;
      over = true;
      await starting;
      process.stdout.write(
        `${RUNS} runs of ${CALLS} calls in ${prepared} ms; servers up again after ${started} ms, all signalled ` +
          `in ${signalled} ms, all ended after ${ended} ms; ${fresh.length} fresh runs, the slowest ` +
          `${Math.max(...fresh)} ms\n`,
      );
      // Nothing that was done before the kill is done again.
      expect(entered.size).toBe(RUNS * (CALLS + 1));
      expect([...entered.values()].filter((times) => times > 1)).toEqual([]);
      expect(Math.max(...fresh)).toBeLessThan(FRESH_WITHIN_MS);
    } finally {
      await worker.stop();
    }
  },
  20 * MINUTE,
);
