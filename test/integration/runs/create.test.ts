import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BadRequestError,
  ConflictError,
  NamespaceRequiredError,
  NotFoundError,
  ScriptRefusedError,
  type Duration,
} from '@rewind.codes/sdk';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

test('a run says what it is of, for whom, since when and until when', async () => {
  const labels = { conversation: 'c1', team: 'a=b' };
  const created = await stage.create('return input;', { input: { x: [1] }, labels, ttl: '2d' });
  expect(created).toMatchObject({
    id: expect.stringMatching(/^run_[0-9a-z]+$/),
    state: 'running',
    namespace: 'ada',
    toolset: stage.toolset,
    labels,
  });
  const run = await stage.runs().wait(created.id);
  expect(run).toMatchObject({ state: 'completed', output: { x: [1] }, calls: 0, waitingFor: [] });
  expect(Date.parse(run.expiresAt) - Date.parse(run.createdAt)).toBe(2 * 86_400_000);
  expect(Date.parse(run.endedAt!)).toBeGreaterThanOrEqual(Date.parse(run.createdAt));
  expect(await stage.runs().retrieve(run.id)).toEqual(run);
  expect(run).not.toHaveProperty('error');
});

test('a script sees its input, its run and nothing where no input was given', async () => {
  const script = 'return { input: input === undefined ? "none" : input, run };';
  const run = await stage.run(script, { labels: { a: 'b' } });
  expect(run.output).toEqual({
    input: 'none',
    run: { id: run.id, namespace: 'ada', labels: { a: 'b' }, startedAt: expect.any(String) },
  });
  const { startedAt } = (run.output as { run: { startedAt: string } }).run;
  expect(Math.abs(Date.parse(startedAt) - Date.parse(run.createdAt))).toBeLessThan(2000);
  expect((await stage.run('return input;', { input: null })).output).toBeNull();
});

test('a run of somebody else looks like one that does not exist', async () => {
  const { id } = await stage.create('return 1;', {}, 'bob');
  const told = async (wanted: string) => {
    const error: unknown = await stage
      .runs('ada')
      .retrieve(wanted)
      .catch((problem: unknown) => problem);
    expect(NotFoundError.isInstance(error)).toBe(true);
    const { message, status, code } = error as NotFoundError;
    return { message: message.replaceAll(wanted, '…'), status, code };
  };
  const foreign = await told(id);
  expect(await told('run_00000000000000000000000000')).toEqual(foreign);
  for (const attempt of [
    stage.runs('ada').output(id),
    stage.runs('ada').log(id),
    stage.runs('ada').trace(id),
    stage.runs('ada').signal(id, 'go'),
    stage.runs('ada').cancel(id),
  ]) {
    await expect(attempt).rejects.toBeInstanceOf(NotFoundError);
  }
  await stage.runs('bob').wait(id);
});

test('a key that acts for nobody can start no run', async () => {
  const { toolset } = stage;
  await expect(stage.client.runs.create({ script: 'return 1;', toolset })).rejects.toBeInstanceOf(
    NamespaceRequiredError,
  );
});

test('a toolset that does not exist is not found', async () => {
  await expect(stage.create('return 1;', { toolset: `ts_${'0'.repeat(32)}` })).rejects.toThrow(
    NotFoundError,
  );
});

test('a script with a type error is refused with its diagnostics, and no run exists', async () => {
  const before = await stage.runs('refused').list();
  const script = 'const two = 2;\nreturn await math.add({ a: two, c: 3 });';
  const error: unknown = await stage
    .create(script, {}, 'refused')
    .catch((problem: unknown) => problem);
  expect(ScriptRefusedError.isInstance(error)).toBe(true);
  const { diagnostics } = error as ScriptRefusedError;
  expect(diagnostics).toEqual([
    expect.objectContaining({ line: 2, column: 33, code: expect.stringMatching(/^TS\d+$/) }),
  ]);
  expect(diagnostics[0]?.frame).toContain('> 2 | return await math.add({ a: two, c: 3 });');
  expect(before.data).toEqual([]);
  expect((await stage.runs('refused').list()).data).toEqual([]);
});

describe('durations', () => {
  test.each(['3 days', '-1s', '3000', '', 's', '1e3s', '1w', 3000, '500ms', '366d'])(
    'a time to live of %j is refused',
    async (ttl) => {
      const created = stage.create('return 1;', { ttl: ttl as Duration });
      await expect(created).rejects.toThrow(BadRequestError);
      await expect(created).rejects.toThrow(/ttl/);
    },
  );

  test('in a script they are as strict', async () => {
    const script = `
      const refused = [];
      for (const duration of ["3 days", 3000, "-1s", "", undefined, null, {}] as any[]) {
        await sleep(duration).then(() => "slept", (error) => refused.push(error.code));
        await waitForSignal("go", { timeout: duration ?? "x" }).then(
          () => refused.push("waited"),
          (error) => refused.push(error.message),
        );
      }
      return refused;`;
    const { output } = await stage.run(script);
    expect(output).toEqual(
      Array.from({ length: 7 }).flatMap(() => [
        'invalid_arguments',
        expect.stringMatching(/^waitForSignal: .* is not a duration such as "30s" or "3d"$/),
      ]),
    );
  });

  test('they are right beyond 2^31 milliseconds', async () => {
    const created = await stage.create('await sleep("60d");', { ttl: '90d' });
    const run = await stage.runs().retrieve(created.id, { wait: '20s' });
    expect(run.state).toBe('waiting');
    const [wait] = run.waitingFor;
    if (wait?.kind !== 'sleep') throw new Error(`waits for ${JSON.stringify(wait)}`);
    const days = (Date.parse(wait.until) - Date.parse(run.createdAt)) / 86_400_000;
    expect(Math.abs(days - 60)).toBeLessThan(0.01);
    await stage.runs().cancel(run.id);
  });
});

describe('idempotency keys', () => {
  const keyed = (key: string, script: string, input?: unknown, labels = { agent: 'x' }) =>
    stage
      .runs('keys')
      .create({ script, toolset: stage.toolset, input, labels }, { idempotencyKey: key });

  test('the same key and arguments give one run: at once, from many, and after it has ended', async () => {
    const many = await Promise.all(
      Array.from({ length: 8 }, () => keyed('k1', 'return 1;', { b: 1, a: 2 })),
    );
    const ids = new Set(many.map(({ id }) => id));
    expect(ids.size).toBe(1);
    const { id } = await stage.runs('keys').wait(many[0]!.id);
    // The order of keys in the input is no difference.
    expect(await keyed('k1', 'return 1;', { a: 2, b: 1 })).toMatchObject({
      id,
      state: 'completed',
      output: 1,
    });
    expect((await stage.runs('keys').list({ labels: { agent: 'x' } })).data).toHaveLength(1);
  });

  test.each([
    ['script', 'return 2;', 1],
    ['input', 'return 1;', 2],
    ['absent input', 'return 1;', undefined],
  ])('the same key with another %s is a conflict that names the run', async (_, script, input) => {
    const { id } = await keyed('k2', 'return 1;', 1);
    const error: unknown = await keyed('k2', script, input).catch((problem: unknown) => problem);
    expect(ConflictError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'idempotency_conflict', runId: id });
  });

  test('other labels, or another end user, make another run', async () => {
    const { id } = await keyed('k3', 'return 1;');
    const other = await keyed('k3', 'return 1;', undefined, { agent: 'y' });
    const foreign = await stage
      .runs('elsewhere')
      .create(
        { script: 'return 1;', toolset: stage.toolset, labels: { agent: 'x' } },
        { idempotencyKey: 'k3' },
      );
    expect(new Set([id, other.id, foreign.id]).size).toBe(3);
  });
});
