import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode } from '@temporalio/worker';
import { eventually } from '../../test/support/eventually';
import { timed, type Measure } from '../measure';
import { residentMb, type Stage } from '../stage';

const WAITING = 200;
const CALLS = 1000;

/** What the memory of a process grows by for each of the runs that are made. */
async function grown(pid: number, make: () => Promise<unknown>): Promise<number> {
  const before = residentMb(pid);
  await Promise.all(Array.from({ length: WAITING }, make));
  return (residentMb(pid) - before) / WAITING;
}

async function waitingRun(stage: Stage): Promise<void> {
  const { runs } = stage.rewind.namespace('bench');
  const script = 'return await waitForSignal("go");';
  const { id } = await runs.create({ script, toolset: stage.toolset });
  await eventually(async () => (await runs.retrieve(id)).state === 'waiting', { every: 200 });
}

/** A history of so many calls, written to a file once. */
const recorded = new Map<string, string>();

async function record(stage: Stage, side: string, make: () => Promise<string>): Promise<string> {
  const known = recorded.get(side);
  if (known !== undefined) return known;
  const workflowId = await make();
  const history = await stage.temporal.workflow.getHandle(workflowId).fetchHistory();
  const file = join(stage.folder, `${side}.json`);
  writeFileSync(file, historyToJSON(history));
  recorded.set(side, `${file} ${workflowId}`);
  return recorded.get(side) ?? '';
}

/** In a process of its own, with what the real ones have. */
function replay(files: string, bundle: string, guard: boolean): number {
  const [file = '', workflowId = ''] = files.split(' ');
  const root = join(__dirname, '..', '..');
  const node = guard
    ? ['--expose-internals', '--require', join(root, 'server', 'thread-guard.cjs')]
    : [];
  const args = [
    ...node,
    '--import',
    'tsx',
    join(root, 'bench', 'replay.ts'),
    file,
    bundle,
    workflowId,
  ];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root });
  return Number(/^ms (.*)$/m.exec(output)?.[1]);
}

export const stateMeasures: Measure[] = [
  {
    name: 'memory of a waiting run',
    unit: 'MB',
    goal: { value: 0.8 },
    rounds: 3,
    rewind: (stage) => grown(stage.pid('script worker'), () => waitingRun(stage)),
    native: (stage) =>
      grown(stage.pid('native workflows'), async () => {
        const options = { workflowId: randomUUID(), taskQueue: 'native', args: [] };
        const handle = await stage.temporal.workflow.start('waiting', options);
        // Answered by the workflow itself, so it is in memory.
        await handle.query('__temporal_workflow_metadata');
      }),
  },
  {
    name: 'replay of 1,000 calls',
    unit: 'ms',
    goal: { ratio: 1.3, at: 'most' },
    rewind: async (stage) => {
      const files = await record(stage, 'rewind', async () => {
        const { runs } = stage.rewind.namespace('bench');
        const script = `for (let n = 0; n < ${CALLS}; n++) await bench.echo({ n }); return 1;`;
        const { id } = await runs.create({ script, toolset: stage.toolset });
        await runs.wait(id);
        return id;
      });
      return replay(files, stage.bundle(), true);
    },
    native: async (stage) => {
      const bundle = join(stage.folder, 'native-bundle.js');
      const files = await record(stage, 'native', async () => {
        const path = require.resolve('../native/workflows');
        const { code } = await bundleWorkflowCode({ workflowsPath: path });
        writeFileSync(bundle, code);
        const workflowId = randomUUID();
        const options = { workflowId, taskQueue: 'native', args: [CALLS] };
        await stage.temporal.workflow.execute('sequential', options);
        return workflowId;
      });
      return replay(files, bundle, false);
    },
  },
  {
    name: 'result after kill -9 of the script worker',
    unit: 'ms',
    goal: { value: 5000 },
    rewind: async (stage, round) => {
      const { runs } = stage.rewind.namespace('bench');
      const script = 'return await bench.slow({ ms: 500 });';
      const { id } = await runs.create({ script, toolset: stage.toolset });
      await eventually(
        () =>
          stage
            .sdkWorker()
            .output()
            .split('\n')
            .filter((line) => line === 'entered').length > round,
        { every: 5 },
      );
      return timed(async () => {
        await stage.replaceScriptWorker();
        await runs.wait(id);
      });
    },
  },
  {
    name: 'type-check of 50 lines',
    unit: 'ms',
    goal: { value: 100 },
    rewind: async (stage, round) => {
      const check = (mark: string) => {
        const lines = Array.from(
          { length: 49 },
          (_, line) => `const value${line} = await bench.echo({ n: ${line}${mark} });`,
        );
        const script = [...lines, 'return value0;'].join('\n');
        return stage.rewind.scripts.check({ script, toolset: stage.toolset });
      };
      // The compiler runs at full speed only once it has been compiled itself.
      for (let n = 0; round === 0 && n < 20; n += 1) await check(` + ${n} / 2`);
      return timed(() => check(` + ${round}`));
    },
  },
];
