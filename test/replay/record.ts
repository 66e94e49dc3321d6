/**
 * Records the histories that replay.test.ts replays: `npx tsx test/replay/record.ts`, from the root
 * of the repository, writes them to test/replay/histories/<version of the package>/.
 *
 * Histories of a released version are never changed and never deleted: runs like them are waiting
 * somewhere, and every later version has to go on with them. A change that breaks one needs
 * `patched`, or an engine of its own beside the old one. Record anew only for a version that is not
 * released yet, or add scripts here with the change that they are for.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { version } from '../../package.json';
import { startStage, type Stage } from '../integration/runs/stage';
import { eventually } from '../support/eventually';
import globalSetup from '../support/global-setup';
import globalTeardown from '../support/global-teardown';

/** What is done to a run beside its script; it has ended afterwards. */
type Act = (stage: Stage, id: string) => Promise<unknown>;

interface Scenario {
  script: string;
  ttl?: '2s';
  act?: Act;
}

const untilWaiting = (stage: Stage, id: string) =>
  eventually(async () => (await stage.runs().retrieve(id)).state === 'waiting');

const scenarios: Record<string, Scenario> = {
  'sequential-calls': {
    script: `let sum = 0;
for (let n = 0; n < 12; n++) sum += (await math.add({ a: n, b: await echo({ value: 1 }) })).sum;
console.log("sum", sum);
return { sum, run: run.id };`,
  },
  'parallel-calls': {
    script: `const say = (value: unknown) => echo({ value });
const all = await Promise.all([say(1), Promise.all([say(2), sleep("20ms"), say(3)]), 4]);
const settled = await Promise.allSettled([say(5), work.fail({ message: "no" })]);
const any = await Promise.any([work.fail({ message: "a" }), say(6)]);
const race = await Promise.race([say("fast"), sleep("30s"), waitForSignal("never")]);
const many = await Promise.all(Array.from({ length: 30 }, (_, n) => say(n)));
return { all, settled: settled.length, any, race, many: many.length };`,
  },
  'failures-and-retries': {
    script: `const bad: any = { a: "x" };
const seen: unknown[] = [await work.flaky({ failures: 3 })];
for (const call of [() => work.fail({ message: "no", data: { n: 1 } }), () => math.add(bad), () => math.add({ a: 99, b: 1 })]) {
  try { await call(); } catch (error) { seen.push((error as ToolError).code); }
}
work.fail({ message: "nobody listens" });
await sleep("50ms");
await work.fail({ message: "the end" });`,
  },
  'deferred-answers': {
    script: `const [first, second, third] = await Promise.allSettled([
  people.ask({ question: "a" }), people.ask({ question: "b" }), people.ask({ question: "c", timeout: "1s" }),
]);
return [first.status, second.status, third.status, await people.ask({ question: "d" })];`,
    act: async (stage, id) => {
      await stage.client.tasks.complete(await stage.token(id, 1), { answer: 'yes' });
      await stage.client.tasks.fail(await stage.token(id, 2), { message: 'away' });
      await stage.client.tasks.complete(await stage.token(id, 4), 'last');
    },
  },
  'signals-and-sleeps': {
    script: `const got: unknown[] = [await waitForSignal("go", { timeout: "50ms" })];
await work.slow();
for (let n = 0; n < 3; n++) got.push(await waitForSignal("go", { timeout: "1h" }));
await sleep("100ms");
return [...got, await Promise.race([waitForSignal("other"), sleep("10ms")])];`,
    act: async (stage, id) => {
      await eventually(() => stage.entered.some((line) => line.includes(id)));
      await stage.runs().signal(id, 'go', 1, { idempotencyKey: 'a' });
      await stage.runs().signal(id, 'go', 1, { idempotencyKey: 'a' });
      await stage.runs().signal(id, 'unread');
      await stage.finishSlow(id);
      await untilWaiting(stage, id);
      await stage.runs().signal(id, 'go', [2]);
      await stage.runs().signal(id, 'go');
    },
  },
  'late-worker': {
    script: 'return [await nobody.home(), await echo({ value: 1 })];',
    act: async (stage, id) => {
      await untilWaiting(stage, id);
      const worker = stage.client.worker({ tools: { 'nobody.home': () => 'here' } });
      await stage.runs().wait(id);
      await worker.stop();
    },
  },
  canceled: {
    script: `try { await Promise.all([work.slow(), people.ask({ question: "?" }), waitForSignal("go"), sleep("1d")]); }
finally { console.log("not reached"); }`,
    act: async (stage, id) => {
      await stage.token(id, 2);
      await stage.runs().cancel(id, { reason: 'no longer needed' });
    },
  },
  expired: {
    script:
      'for (;;) { try { await echo({ value: 1 }); await waitForSignal("go", { timeout: "300ms" }); } catch {} }',
    ttl: '2s',
  },
  'failed-with-an-error': {
    script:
      'const x: any = await echo({ value: { n: 1 } });\nthrow new TypeError(`n is ${x.n}`, { cause: x });',
  },
  limit: { script: 'await echo({ value: 1 });\nlet n = 0;\nfor (;;) n += 1;' },
  'clock-and-chance': {
    script: `const read = () => [Date.now(), Math.random(), new Date().toISOString()];
const seen = [read()];
await echo({ value: seen });
await sleep(\`\${Math.floor(Math.random() * 50) + 1}ms\`);
if (Math.random() < 0.5) await echo({ value: "half" }); else await math.add({ a: 1, b: 1 });
return [...seen, read()];`,
  },
};

async function record(stage: Stage, name: string, scenario: Scenario): Promise<void> {
  const { script, ttl, act } = scenario;
  const { id } = await stage.create(script, ttl ? { ttl } : {});
  await act?.(stage, id);
  const { state } = await stage.runs().wait(id);
  const handle = stage.rewind.temporal.client.workflow.getHandle(id);
  const history = withoutMachine(JSON.parse(historyToJSON(await handle.fetchHistory())));
  const folder = join(__dirname, 'histories', version);
  mkdirSync(folder, { recursive: true });
  const text = JSON.stringify({ workflowId: id, state, history }, null, 1);
  writeFileSync(join(folder, `${name}.json`), `${text}\n`);
  process.stdout.write(`${name}: ${state}\n`);
}

/** Host names, process ids and paths of whoever records are nobody's business. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  // The name of a worker's own task queue: process and host.
  if (typeof value === 'string') return value.replace(/^\d+@.*$/, 'script-worker');
  if (typeof value !== 'object' || value === null) return value;
  const left = Object.entries(value).filter(
    ([key]) => !['identity', 'stackTrace', 'workerVersion', 'binaryChecksum'].includes(key),
  );
  return Object.fromEntries(left.map(([key, part]) => [key, withoutMachine(part)]));
}

async function main(): Promise<void> {
  await globalSetup();
  const stage = await startStage();
  try {
    for (const [name, scenario] of Object.entries(scenarios)) await record(stage, name, scenario);
  } finally {
    await stage.stop();
    await globalTeardown();
  }
}

void main().then(() => process.exit(0));
