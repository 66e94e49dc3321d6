import { describe, expect, test } from '@jest/globals';
import {
  AuthenticationError,
  ConnectionError,
  NamespaceRequiredError,
  NotFoundError,
  PermissionError,
  ServerError,
} from '@rewind.codes/sdk';
import { broken, FakeServer, hang, refusal, type Script } from '../support/fake-server';
import { RUN, runWith, TOOLSET, worldOf } from './world';

const script = { script: 'return 1', wait_seconds: 0 };

function agentBefore(reply: Script) {
  const server = new FakeServer().on('/v1/runs', reply);
  const client = server.client({ maxRetries: 0 }).namespace('ada');
  return client.agentTools({ toolset: TOOLSET });
}

describe('faults of the platform and of the harness are thrown', () => {
  test.each([
    ['AT-26: an unreachable server', () => broken('ECONNREFUSED'), ConnectionError],
    ['AT-27: a 401', () => refusal(401, 'unauthenticated'), AuthenticationError],
    ['a 403', () => refusal(403, 'forbidden'), PermissionError],
    ['AT-28: a 500', () => refusal(500, 'internal'), ServerError],
    ['AT-28: a 503', () => refusal(503, 'unavailable'), ServerError],
    ['a toolset that is not there', () => refusal(404, 'not_found'), NotFoundError],
  ])('%s', async (_what, reply, error) => {
    const call = { id: 'toolu_1', name: 'run_script', input: script };
    await expect(agentBefore(reply).handle(call)).rejects.toThrow(error);
  });

  test('AT-26, AT-27, AT-28: no server, a 401 and a 5xx are thrown by every tool that asks one', async () => {
    const inputs: Record<string, unknown> = {
      run_script: script,
      check_script: { script: 'x' },
      test_script: { script: 'x' },
      get_run: { run_id: RUN },
      list_runs: {},
      retry_run: { run_id: RUN },
      signal_run: { run_id: RUN, name: 'go' },
      cancel_run: { run_id: RUN },
      save_workflow: { name: 'x', description: 'x', script: 'x' },
      list_workflows: {},
      describe_tools: {},
    };
    for (const [fetch, error] of [
      [() => broken(), ConnectionError],
      [() => Promise.resolve(refusal(401, 'unauthenticated')), AuthenticationError],
      [() => Promise.resolve(refusal(502, 'x')), ServerError],
    ] as const) {
      const client = new FakeServer().client({ maxRetries: 0, fetch }).namespace('ada');
      const agent = client.agentTools({ toolset: TOOLSET });
      expect(agent.definitions.map(({ name }) => name)).toEqual(Object.keys(inputs));
      for (const [name, input] of Object.entries(inputs)) {
        await expect(agent.handle({ id: 'toolu_1', name, input })).rejects.toThrow(error);
      }
    }
  });

  test("AT-29: the call through a key's client that names no namespace is thrown, before any request", async () => {
    const server = new FakeServer();
    const agent = server.client().agentTools({ toolset: TOOLSET });
    const call = { id: 'toolu_1', name: 'get_run', input: { run_id: RUN } };
    await expect(agent.handle(call)).rejects.toThrow(NamespaceRequiredError);
    await expect(agent.anthropic().handle({ type: 'tool_use', ...call })).rejects.toThrow(
      /namespace/,
    );
    expect(server.requests).toEqual([]);
  });

  test('an aborted call ends with the reason', async () => {
    const agent = agentBefore(hang);
    const reason = new Error('the user left');
    const controller = new AbortController();
    const call = { id: 'toolu_1', name: 'run_script', input: script };
    const handling = agent.handle(call, { signal: controller.signal });
    controller.abort(reason);
    await expect(handling).rejects.toBe(reason);
  });

  test('a tool call without an id is a fault of the harness', async () => {
    const call = { id: '', name: 'list_runs', input: {} };
    await expect(worldOf(runWith({})).agent.handle(call)).rejects.toThrow(/tool call id/);
  });
});

describe('mistakes that the model can mend are results', () => {
  const handle = (name: string, input: unknown, reply?: Script) => {
    const world = worldOf(runWith({ state: 'waiting' }));
    if (reply) world.server.on('/v1/runs', reply);
    return world.agent.handle({ id: 'toolu_1', name, input });
  };

  test('AT-22: bad arguments, told as the model needs them', async () => {
    expect(await handle('signal_run', { run_id: RUN })).toEqual({
      text: [
        'Error: bad arguments for signal_run',
        '| name: expected string, received undefined',
        'Takes: {"run_id": string, "name": string, "payload"?: any}',
      ].join('\n'),
      isError: true,
    });
    expect((await handle('run_script', { script: 'x', wait_seconds: 61 })).text).toMatch(
      /^Error: bad arguments for run_script\n\| wait_seconds: Too big/,
    );
    expect((await handle('list_runs', 'no JSON')).isError).toBe(true);
    expect((await handle('list_runs', { staet: 'x' })).text).toContain(
      '| arguments: Unrecognized key',
    );
  });

  test('AT-22: a tool that is not there names those that are', async () => {
    expect(await handle('run_scripts', {})).toEqual({
      text: 'Error: no tool "run_scripts". There are run_script, check_script, test_script, get_run, list_runs, retry_run, signal_run, cancel_run, save_workflow, list_workflows, describe_tools',
      isError: true,
    });
  });

  test('AT-25: a quota reached', async () => {
    const reply = () => refusal(429, 'quota_reached', { quota: 'runs', limit: 1000 });
    expect(await handle('run_script', script, reply)).toEqual({
      text: 'Error: quota reached, 1000 unfinished runs. Next: list_runs {"state":"waiting"}',
      isError: true,
    });
  });

  test('what is too large, and a field of the model that the server refuses', async () => {
    for (const reply of [
      () => refusal(413, 'too_large', { limit: 5, message: 'the script has 7 bytes' }),
      () => refusal(400, 'invalid_request', { field: 'script', message: 'the script has 7 bytes' }),
    ]) {
      expect(await handle('run_script', script, reply)).toEqual({
        text: 'Error: the script has 7 bytes',
        isError: true,
      });
    }
  });

  test('AT-24: a signal to a run that has ended', async () => {
    const world = worldOf(runWith({ state: 'completed' }));
    world.server.on(`/v1/runs/${RUN}/signals`, () => refusal(409, 'run_ended', { runId: RUN }));
    const call = { id: 'toolu_1', name: 'signal_run', input: { run_id: RUN, name: 'go' } };
    expect(await world.agent.handle(call)).toEqual({
      text: `Error: ${RUN} has ended (completed), signals no longer reach it`,
      isError: true,
    });
    const cancel = { id: 'toolu_2', name: 'cancel_run', input: { run_id: RUN } };
    expect(await world.agent.handle(cancel)).toMatchObject({ isError: true });
    expect(world.server.to(`/v1/runs/${RUN}/cancel`)).toEqual([]);
  });

  test('tools that take a script say that there is no toolset', async () => {
    const agent = new FakeServer().client().namespace('ada').agentTools();
    const call = { id: 'toolu_1', name: 'run_script', input: script };
    expect(await agent.handle(call)).toMatchObject({ isError: true });
  });
});

describe('arguments are read as models give them', () => {
  const sent = async (name: string, input: unknown, path: string) => {
    const world = worldOf(runWith({}));
    world.server.on('/v1/scripts/test', () => ({ state: 'completed', calls: [], log: '' }));
    await world.agent.handle({ id: 'toolu_1', name, input });
    return world.server.to(path).at(-1)?.body;
  };

  test('lists and objects as JSON text, null for what is left out, and input as it is', async () => {
    const mocks = [{ tool: 'a', result: null }];
    const input = { script: 'x', input: '{"a":1}', mocks: JSON.stringify(mocks), signals: null };
    expect(await sent('test_script', input, '/v1/scripts/test')).toEqual({
      script: 'x',
      toolset: TOOLSET,
      input: '{"a":1}',
      mocks,
    });
    expect(await sent('run_script', { script: 'x', input: null }, '/v1/runs')).toMatchObject({
      input: null,
    });
    expect(await sent('run_script', '{"script":"y","wait_seconds":0}', '/v1/runs')).toMatchObject({
      script: 'y',
      ttl: '7d',
    });
  });
});
