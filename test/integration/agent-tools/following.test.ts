import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ConnectionError,
  type AgentTools,
  type AgentToolResult,
  type Run,
} from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

let stage: Stage;
let agent: AgentTools;
let calls = 0;

beforeAll(async () => {
  stage = await startStage();
  agent = stage.client.namespace('ada').agentTools({ toolset: stage.toolset });
});
afterAll(() => stage.stop());

const call = (name: string, input: unknown): Promise<AgentToolResult> =>
  agent.handle({ id: `toolu_${(calls += 1)}`, name, input });

const runOf = ({ run }: AgentToolResult): Run => {
  if (!run) throw new Error('the result has no run');
  return run;
};

describe('FC-04: signals that come before the run waits for them', () => {
  test('FC-04: reach the waits in order, each once, over a restart; one of another name is told as unread', async () => {
    const script = `await work.slow({});
const got = [];
for (let i = 0; i < 3; i++) got.push(await waitForSignal("go"));
await waitForSignal("end");
return got;`;
    const { id } = runOf(await call('run_script', { script, wait_seconds: 0 }));
    for (const payload of [1, 2, 3]) {
      const sent = await call('signal_run', { run_id: id, name: 'go', payload });
      expect(sent.text).toBe(`OK: signal "go" is delivered to ${id}`);
    }
    await call('signal_run', { run_id: id, name: 'goo' });
    await stage.finishSlow(id);
    const waiting = await eventually(async () => {
      const read = await call('get_run', { run_id: id });
      return read.text.includes('- signal "end"') ? read : undefined;
    });
    expect(waiting.text).toContain('\nSent, but nothing waits for it: signal "goo" (1)\n');
    await stage.rewind.restartScriptWorker();
    await call('signal_run', { run_id: id, name: 'end' });
    const run = await stage.runs().wait(id);
    expect(run.output).toEqual([1, 2, 3]);
  });
});

describe('FC-27: no tool blocks longer than it says', () => {
  test('FC-27: a run whose tool nobody serves is told as waiting within the time asked for', async () => {
    const began = performance.now();
    const result = await call('run_script', {
      script: 'return await nobody.home({});',
      wait_seconds: 1,
    });
    expect(performance.now() - began).toBeLessThan(15_000);
    const { id } = runOf(result);
    expect(result.text).toMatch(
      new RegExp(
        `^Waiting: ${id}, 0 calls done, .*\nWaits for:\n- host tool nobody\\.home \\(call #1, line 1\\): no worker has taken it yet, [\\d.]+ s; none that serves it is there\n`,
      ),
    );
    expect(result.isError).toBe(false);
    expect(result.text).toContain(`Next: get_run {"run_id":"${id}","wait_seconds":60}`);
    const again = await call('get_run', { run_id: id, wait_seconds: 1 });
    expect(again.text).toMatch(/^Waiting: /);
  });

  test('FC-27: without a script worker a run is told all the same, and without a gateway the call throws', async () => {
    const { id } = runOf(await call('run_script', { script: 'return await waitForSignal("go");' }));
    await stage.rewind.withoutScriptWorker(async () => {
      const read = await call('get_run', { run_id: id });
      expect(read.text).toMatch(/^Waiting: [^]*\n- signal "go"[^]*\nLog: cannot be read now\n/);
    });
    const nobody = createServer();
    const port = await new Promise<number>((resolve) =>
      nobody.listen(0, '127.0.0.1', () => resolve((nobody.address() as { port: number }).port)),
    );
    await new Promise((resolve) => nobody.close(resolve));
    const off = stage.rewind
      .client({ baseURL: `http://127.0.0.1:${port}` })
      .namespace('ada')
      .agentTools({ toolset: stage.toolset });
    const input = { script: 'return 1;' };
    await expect(off.handle({ id: 'toolu_x', name: 'run_script', input })).rejects.toThrow(
      ConnectionError,
    );
  });
});

describe('FC-25: lines are those of the text that the model sent', () => {
  const body = [
    'interface Pair<A, B> {',
    '  a: A;',
    '  b: B;',
    '}',
    'enum Color {',
    '  Red,',
    '  Blue,',
    '}',
    'const pair = <A, B>(',
    '  a: A,',
    '  b: B,',
    '): Pair<A, B> => ({ a, b });',
    'await Promise.all([pair(1, Color.Blue)].map(async (one) => {',
    '  await echo({ value: one.a });',
    '  throw new RangeError("here");',
    '}));',
  ];

  test.each([
    ['as it is', body.join('\n'), 15],
    ['with CRLF', body.join('\r\n'), 15],
    ['with a byte-order mark', `\ufeff${body.join('\n')}`, 15],
    ['in a fence', ['```ts', ...body, '```'].join('\n'), 16],
  ])('FC-25: %s', async (_how, script, line) => {
    const result = await call('run_script', { script });
    expect(result.text).toMatch(
      new RegExp(
        `^Failed: run_\\w+, 1 call, .*\nError: RangeError, line ${line}, column \\d+\n\\| here\n`,
      ),
    );
    expect(result.text).toMatch(
      new RegExp(`\n> ${line} \\| {3}throw new RangeError\\("here"\\);\n`),
    );
    expect(result.text).toContain('\nFailing call: none\n');
  });

  test('FC-25: a syntax error on the last line, and a sentence before the fence', async () => {
    const broken = await call('run_script', { script: [...body, 'const x = ;'].join('\n') });
    expect(broken.text).toMatch(/\nProblem 1: line 17, column 11, /);
    const before = await call('run_script', {
      script: `Here it is:\n\`\`\`ts\n${body.join('\n')}\n\`\`\``,
    });
    // Run with the right lines, or refused in the first one.
    expect(before.text).toMatch(/^(Failed: [^]*line 17,|Refused: [^]*line 1,)/);
  });
});
