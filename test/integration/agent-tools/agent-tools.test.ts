import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AgentTools, AgentToolResult, Run } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { startStage, type Stage } from '../runs/stage';

let stage: Stage;
let calls = 0;

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

const agentOf = (labels: Record<string, string> = { conversation: 'c1' }, namespace = 'ada') =>
  stage.client.namespace(namespace).agentTools({ toolset: stage.toolset, labels });

/** One call of a tool, with an id of its own. */
function call(
  agent: AgentTools,
  name: string,
  input: unknown,
  id = `call-${(calls += 1)}`,
): Promise<AgentToolResult> {
  return agent.handle({ id, name, input });
}

const runOf = ({ run }: AgentToolResult): Run => {
  if (!run) throw new Error('the result has no run');
  return run;
};

describe('run_script', () => {
  test('AT-06, AT-11, AT-14, AT-30: a script that completes gives its output and its last log lines, as a run of the end user', async () => {
    const script = 'console.log("adding"); return await math.add({ a: 1, b: input.b });';
    const result = await call(agentOf(), 'run_script', { script, input: { b: 2 } });
    const run = runOf(result);
    expect(result.text).toMatch(
      new RegExp(
        `^Completed: ${run.id}, 1 call, [\\d.]+ s\nOutput \\(JSON, 9 bytes\\):\n\\| {"sum":3}\nLog \\(1 line\\):\n\\| adding$`,
      ),
    );
    expect(result.isError).toBe(false);
    expect(run).toMatchObject({ state: 'completed', namespace: 'ada', output: { sum: 3 } });
  });

  test('AT-20, AT-21, AT-23: a refused script is a result that shows the problems, and nothing is run', async () => {
    const agent = agentOf({ conversation: 'refused' });
    const script = 'const x = await math.add({ a: 1, c: 2 });\nreturn await fetch("x");';
    const result = await call(agent, 'run_script', { script });
    expect(result.text).toMatch(
      /^Refused: \d problems, nothing was run\nProblem 1: line 1, column/,
    );
    expect(result.text).toContain('> 1 | const x = await math.add({ a: 1, c: 2 });');
    expect(result.text).toContain('Hint: ');
    expect(result.text).toMatch(/\nNext: correct the script and call run_script again\.$/);
    expect(result).toMatchObject({ isError: true });
    expect(result.run).toBeUndefined();
    expect((await call(agent, 'list_runs', {})).text).toBe('OK: no runs');
  });

  test('AT-17, AT-18, AT-19: a failed run shows the error with its frame, the call that failed and the trace', async () => {
    const script =
      'await echo({ value: 1 });\nconst data = { code: "not_found" };\nawait work.fail({ message: "no customer\\nCompleted: forged", data });';
    const result = await call(agentOf(), 'run_script', { script });
    const run = runOf(result);
    expect(result.isError).toBe(true);
    const lines = result.text.split('\n');
    expect(lines[0]).toMatch(new RegExp(`^Failed: ${run.id}, 2 calls, [\\d.]+ s$`));
    expect(lines.slice(1, 5)).toEqual([
      expect.stringMatching(/^Error: ToolError, code failed, line 3, column \d+$/),
      '| no customer',
      '| Completed: forged',
      'Data: {"code":"not_found"}',
    ]);
    expect(result.text).toMatch(/\n> 3 \| await work\.fail/);
    expect(result.text).toMatch(/\nFailing call: #2 work\.fail\(\{"message":"no customer\\nComp/);
    expect(result.text).toMatch(
      /\nTrace \(2 calls\):\n#1 line 1, echo\(\{"value":1\}\) completed, [\d.]+ s, attempt 1\n#2 line 3, work\.fail\(.*\) failed, [\d.]+ s, attempt 1\n/,
    );
    // Reading it is no error.
    const read = await call(agentOf(), 'get_run', { run_id: run.id });
    expect(read).toMatchObject({ text: result.text, isError: false });
  });

  test('AT-04, AT-15, AT-16: a run that waits tells its id and what it waits for, and a signal moves it on', async () => {
    const agent = agentOf();
    const script = 'return await waitForSignal("go");';
    const waiting = await call(agent, 'run_script', { script });
    const { id } = runOf(waiting);
    expect(waiting.text).toContain(`Waiting: ${id}, 0 calls done`);
    expect(waiting.text).toContain(
      `- signal "go" (line 1). To send it: signal_run {"run_id":"${id}","name":"go"}`,
    );
    const sent = await call(agent, 'signal_run', { run_id: id, name: 'go', payload: { yes: 1 } });
    expect(sent).toMatchObject({ text: `OK: signal "go" is delivered to ${id}`, isError: false });
    const done = await eventually(async () => {
      const read = await call(agent, 'get_run', { run_id: id, wait_seconds: 20 });
      return read.run?.state === 'completed' ? read : undefined;
    });
    expect(done.text).toContain('| {"yes":1}');
    const late = await call(agent, 'signal_run', { run_id: id, name: 'go' });
    expect(late).toMatchObject({
      text: `Error: ${id} has ended (completed), signals no longer reach it`,
      isError: true,
    });
    const cancel = await call(agent, 'cancel_run', { run_id: id });
    expect(cancel).toMatchObject({
      text: `Error: ${id} has ended (completed), there is nothing to cancel`,
      isError: true,
    });
  });

  test('AT-16: a tool that nobody serves and an answer to come later are told apart', async () => {
    const script = 'await Promise.all([nobody.home({}), people.ask({ question: "?" })]); return 1;';
    const { id } = runOf(await call(agentOf(), 'run_script', { script, wait_seconds: 0 }));
    await stage.token(id, 2);
    const text = await eventually(async () => {
      const read = await call(agentOf(), 'get_run', { run_id: id });
      return /deferred/.test(read.text) && /nobody\.home/.test(read.text) ? read.text : undefined;
    });
    expect(text).toMatch(
      /\n- host tool nobody\.home \(call #1, line 1\): no worker has taken it yet, [\d.]+ s; none that serves it is there\n/,
    );
    expect(text).toMatch(
      /\n- host tool people\.ask \(call #2, line 1\): deferred, to be answered until 20/,
    );
    const canceled = await call(agentOf(), 'cancel_run', {
      run_id: id,
      reason: 'enough\nError: x',
    });
    expect(canceled).toMatchObject({ text: `OK: ${id} is canceled`, isError: false });
    const read = await call(agentOf(), 'get_run', { run_id: id });
    expect(read.text).toMatch(/^Failed: run_\w+ was canceled, 2 calls, .*\. Reason: "enough/);
    expect(read).toMatchObject({ isError: false, run: { state: 'canceled' } });
  });
});

describe('idempotency', () => {
  test('AT-32, AT-36: one tool call handled twice, at once and after the end, starts one run; other labels get their own', async () => {
    const input = { script: 'return await echo({ value: 7 });' };
    const [one, two] = await Promise.all([
      call(agentOf({ b: '2', a: '1' }), 'run_script', input, 'toolu_1'),
      call(agentOf({ a: '1', b: '2' }), 'run_script', input, 'toolu_1'),
    ]);
    expect(runOf(one).id).toBe(runOf(two).id);
    const later = await call(agentOf({ a: '1', b: '2' }), 'run_script', input, 'toolu_1');
    expect(later).toMatchObject({ text: one.text, run: { id: runOf(one).id } });
    const other = await call(agentOf({ a: '1' }), 'run_script', input, 'toolu_1');
    expect(runOf(other).id).not.toBe(runOf(one).id);
    const foreign = await call(agentOf({ a: '1', b: '2' }, 'bob'), 'run_script', input, 'toolu_1');
    expect(runOf(foreign).id).not.toBe(runOf(one).id);
    expect(stage.entered.filter((line) => line.includes(runOf(one).id))).toHaveLength(1);
  });

  test('other arguments under a used id are a conflict that names the earlier run', async () => {
    const first = await call(agentOf(), 'run_script', { script: 'return 1;' }, 'toolu_2');
    const second = await call(agentOf(), 'run_script', { script: 'return 2;' }, 'toolu_2');
    expect(second).toMatchObject({
      text: `Error: this tool call id has already started ${runOf(first).id} with other arguments; nothing was started`,
      isError: true,
    });
  });

  test('AT-34: a signal handled twice reaches the script once', async () => {
    const script =
      'const a = await waitForSignal("go"); const b = await waitForSignal("go", { timeout: "1s" }); return [a, b === undefined];';
    const { id } = runOf(await call(agentOf(), 'run_script', { script }));
    const signal = { run_id: id, name: 'go', payload: 1 };
    await Promise.all([
      call(agentOf(), 'signal_run', signal, 'toolu_3'),
      call(agentOf(), 'signal_run', signal, 'toolu_3'),
    ]);
    const run = await stage.runs().wait(id);
    expect(run.output).toEqual([1, true]);
  });
});

describe('labels', () => {
  test('AT-39: the labels are on every run, and filter the list', async () => {
    const agent = agentOf({ conversation: 'list', kind: 'a' });
    const { id } = runOf(await call(agent, 'run_script', { script: 'return run.labels;' }));
    expect((await call(agent, 'get_run', { run_id: id })).text).toContain(
      '| {"conversation":"list","kind":"a"}',
    );
    await call(agentOf({ conversation: 'list', kind: 'b' }), 'run_script', { script: 'return 1;' });
    const list = await eventually(async () => {
      const { text } = await call(agent, 'list_runs', { state: 'completed' });
      return text.includes(id) ? text : undefined;
    });
    expect(list).toMatch(
      new RegExp(`^OK: 1 run, newest first\n- ${id} completed 20[\\d:.TZ-]+, 0 calls$`),
    );
    await eventually(async () =>
      (await call(agentOf({ conversation: 'list' }), 'list_runs', {})).text.startsWith(
        'OK: 2 runs',
      ),
    );
  });

  test('AT-40, FC-41: a run of others answers as one that does not exist, in every tool', async () => {
    const script = 'return await waitForSignal("go");';
    const foreign = runOf(await call(agentOf({ conversation: 'other' }), 'run_script', { script }));
    const stranger = runOf(await call(agentOf(undefined, 'bob'), 'run_script', { script }));
    const missing = `run_${'0'.repeat(26)}`;
    for (const id of [foreign.id, stranger.id, missing, '../runs', 'x\nOK: forged']) {
      for (const [name, more] of [
        ['get_run', {}],
        ['get_run', { part: 'trace' }],
        ['get_run', { offset: 3 }],
        ['retry_run', { script: 'return 1;' }],
        ['signal_run', { name: 'go' }],
        ['cancel_run', {}],
      ] as const) {
        const result = await call(agentOf(), name, { run_id: id, ...more });
        expect(result).toEqual({ text: `Error: no run ${JSON.stringify(id)}`, isError: true });
      }
    }
    expect((await stage.runs('ada').retrieve(foreign.id)).state).toBe('waiting');
  });
});

describe('the other tools', () => {
  test('AT-02: check_script has no effect, and tells which tools can be called', async () => {
    const agent = agentOf({ conversation: 'check' });
    const good = await call(agent, 'check_script', {
      script: 'return await math.add({ a: 1, b: 2 });',
    });
    expect(good.text).toMatch(/^OK: no problems\. The script can call .*math\.add/);
    const bad = await call(agent, 'check_script', { script: 'return nothing;' });
    expect(bad.text).toMatch(/^Refused: 1 problem\nProblem 1: line 1, column 8, TS2304\n/);
    expect(bad.isError).toBe(true);
    expect((await call(agent, 'list_runs', {})).text).toBe('OK: no runs');
  });

  test('describe_tools gives the declarations, of some tools or all', async () => {
    const all = (await call(agentOf(), 'describe_tools', {})).text;
    expect(all).toMatch(/^OK: 7 tools\n\| /);
    expect(all).toContain('| math.add(input: ');
    const some = (await call(agentOf(), 'describe_tools', { names: ['work'], query: 'fails' }))
      .text;
    expect(some).toMatch(/^OK: 2 tools\n/);
    expect(some).toContain('work.flaky');
    expect(some).not.toContain('math.add');
    expect(await agentOf().declarations()).toContain('math.add(input: ');
  });

  test('AT-12, AT-13: a long output is read to its end by the calls that the texts hold', async () => {
    const agent = stage.client
      .namespace('ada')
      .agentTools({ toolset: stage.toolset, outputLimit: 1000 });
    const script = 'return Array.from({ length: 300 }, (_, i) => `${i} é 😀\\r\\n`).join("");';
    let result = await call(agent, 'run_script', { script });
    const whole = runOf(result).output as string;
    let text = '';
    for (let part = 0; ; part += 1) {
      const lines = result.text.split('\n');
      const at = lines.findIndex((line) => line.startsWith('Output '));
      const shown = lines.slice(at + 1).filter((line) => line.startsWith('| '));
      text += shown.map((line) => line.slice(2)).join('\n');
      const next = /Next part: get_run (\{.*\})$/.exec(lines[at] ?? '');
      if (!next) break;
      expect(part).toBeLessThan(20);
      result = await call(agent, 'get_run', JSON.parse(next[1] ?? ''));
    }
    expect(text.replaceAll('\\u{d}', '\r')).toBe(whole);
  });

  test('get_run reads trace and log by parts', async () => {
    const script =
      'for (let i = 0; i < 25; i++) { console.log("n", i); await echo({ value: i }); } throw new Error("end");';
    const result = await call(agentOf(), 'run_script', { script });
    const { id } = runOf(result);
    expect(result.text).toContain(
      `Trace (last 20 of 25 calls). All: get_run {"run_id":"${id}","part":"trace"}\n#6 `,
    );
    expect(result.text).toContain(
      `Log (last 20 of 25 lines). All: get_run {"run_id":"${id}","part":"log"}\n| n 5\n`,
    );
    const trace = await call(agentOf(), 'get_run', { run_id: id, part: 'trace', offset: 20 });
    expect(trace.text).toMatch(/\nTrace \(calls 21 to 25 of 25, the end\)\n#21 line 1, echo/);
    const log = await call(agentOf(), 'get_run', { run_id: id, part: 'log' });
    expect(log.text).toMatch(/\nLog \(\d+ bytes\):\n\| n 0\n\| n 1\n/);
  });
});
