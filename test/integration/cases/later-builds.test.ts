import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptWorker } from '../../../server/script-worker';
import { ENGINE } from '../../../workflows/contract';
import { eventually } from '../../support/eventually';
import { bundlePath } from '../../support/temporal-server';
import { startStage, type Stage } from '../runs/stage';

// Releases: runs that wait, all script workers stopped, others of a changed build in their place.
let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), 'rewind-later-build-'));
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stage.stop();
}, 60_000);

type Change = readonly [from: string, to: string];

/** What the build of now would be with these changes of its source. */
function changedBuild(name: string, changes: readonly Change[]): string {
  let code = readFileSync(bundlePath(), 'utf8');
  for (const [from, to] of changes) {
    expect(code.split(from)).toHaveLength(2);
    code = code.replace(from, () => to);
  }
  const path = join(folder, `${name}.js`);
  writeFileSync(path, code);
  return path;
}

/** While this runs only the changed build is there. */
async function withBuild(path: string, work: () => Promise<void>): Promise<void> {
  await stage.rewind.withoutScriptWorker(async () => {
    const { temporal, store } = stage.rewind.system;
    const worker = await startScriptWorker({
      target: temporal,
      bundlePath: path,
      store,
      maxCachedRuns: stage.rewind.config.maxCachedRuns ?? 100,
    });
    try {
      await work();
    } finally {
      await worker.stop();
    }
  });
}

const until = (id: string, kind: string) =>
  eventually(async () =>
    (await stage.runs().retrieve(id)).waitingFor.some((wait) => wait.kind === kind),
  );
const end = (id: string) => stage.runs().wait(id, { signal: AbortSignal.timeout(60_000) });

/** Runs that have locals and a past, each in another wait. */
async function waitingRuns() {
  const before = 'const had = [await echo({ value: "old" }), Date.now(), Math.random()]; ';
  const create = async (script: string, kind: string) => {
    const { id } = await stage.create(before + script);
    await until(id, kind);
    return id;
  };
  const [signal, deferred, sleep, parked, claimed, thrown] = await Promise.all([
    create('return [had.length, await waitForSignal("go")];', 'signal'),
    create('return [had.length, await people.ask({ question: "?" })];', 'tool'),
    create('await sleep("2s"); return [had.length, await echo({ value: "woken" })];', 'sleep'),
    create('return [had.length, await nobody.home()];', 'tool'),
    create('return [had.length, await work.slow()];', 'tool'),
    create('await waitForSignal("go");\n\n  throw new TypeError(`had ${had.length}`);', 'signal'),
  ]);
  return { signal, deferred, sleep, parked, claimed, thrown };
}

async function wakeAll(runs: Awaited<ReturnType<typeof waitingRuns>>) {
  await stage.runs().signal(runs.signal, 'go', 'signaled');
  await stage.runs().signal(runs.thrown, 'go');
  await stage.client.tasks.complete(await stage.token(runs.deferred, 2), 'answered');
  await stage.finishSlow(runs.claimed);
}

test('FC-19: runs in every wait finish with their old meaning in a build with another prelude and bundle', async () => {
  const runs = await waitingRuns();
  const build = changedBuild('same-meaning', [
    ['const pending = create(null);', 'const later = [1, 2, 3]; const pending = create(null);'],
    ['const open = (kind, name, argument) => {', 'const open = (kind, name, argument) => { 0;'],
    ['for a promise that nothing will settle', 'for what never comes'],
  ]);
  const late = stage.client.worker({ tools: { 'nobody.home': () => 'here' }, pollWait: '2s' });
  await withBuild(build, async () => {
    await wakeAll(runs);
    const outputs = async (...ids: string[]) =>
      Promise.all(ids.map(async (id) => (await end(id)).output));
    const { signal, deferred, sleep, parked, claimed } = runs;
    expect(await outputs(signal, deferred, sleep, parked, claimed)).toEqual([
      [3, 'signaled'],
      [3, 'answered'],
      [3, 'woken'],
      [3, 'here'],
      [3, 'slowly'],
    ]);
    // Types and positions are of the script as it was checked when it came.
    expect((await end(runs.thrown)).error).toMatchObject({
      name: 'TypeError',
      message: 'had 3',
      line: 3,
    });
  });
  await late.stop();
}, 60_000);

test('FC-19: runs of an engine that the build does not have end Failed and say so, in every wait', async () => {
  const runs = await waitingRuns();
  const { id: asleep } = await stage.create('await sleep("3d");');
  await until(asleep, 'sleep');
  const later = `${ENGINE}-later`;
  const build = changedBuild('other-engine', [[`ENGINE = '${ENGINE}'`, `ENGINE = '${later}'`]]);
  const failed = {
    state: 'failed',
    waitingFor: [],
    error: {
      name: 'Error',
      message: `this run needs the engine ${ENGINE}; the script workers of rewind-runs have ${later}`,
    },
  };
  await withBuild(build, async () => {
    // One that has not begun says it at once.
    expect(await stage.run('return 1;')).toMatchObject(failed);
    await wakeAll(runs);
    const { signal, deferred, sleep, claimed, thrown } = runs;
    for (const id of [signal, deferred, sleep, claimed, thrown]) {
      expect(await end(id)).toMatchObject(failed);
      const [call] = (await stage.runs().trace(id)).data;
      expect(call).toMatchObject({ tool: 'echo', state: 'completed', result: 'old' });
    }
    // A cancel needs no script worker that knows the engine.
    expect((await stage.runs().retrieve(asleep)).state).toBe('waiting');
    expect((await stage.runs().cancel(asleep)).state).toBe('canceled');
  });
}, 90_000);

test('FC-19: a build that goes another way ends no run at once: taken back, the run goes on', async () => {
  const { id } = await stage.create(
    'return [await echo({ value: 1 }), await waitForSignal("go")];',
  );
  await until(id, 'signal');
  const build = changedBuild('other-way', [
    [
      'const open = (kind, name, argument) => {',
      'const open = (kind, name, argument) => { if (kind === "tool" && lastId < 3) { lastId = 3; open("sleep", "sleep", \'{"duration":"1h"}\'); }',
    ],
  ]);
  await withBuild(build, async () => {
    await stage.runs().signal(id, 'go', 2);
    const handle = stage.rewind.temporal.client.workflow.getHandle(id);
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.some((event) => event.workflowTaskFailedEventAttributes);
    });
    expect((await stage.runs().retrieve(id)).state).toBe('waiting');
  });
  expect((await end(id)).output).toEqual([1, 2]);
}, 60_000);
