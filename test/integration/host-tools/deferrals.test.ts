import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConflictError, NotFoundError, RunEndedError, type Deferral } from '@rewind.codes/sdk';
import { eventually } from '../../support/eventually';
import { openTheatre, type Theatre } from './theatre';

let theatre: Theatre;
const deferrals = new Map<string, Deferral>();
let toolset: string;
beforeAll(async () => {
  theatre = await openTheatre();
  toolset = await theatre.declare({ 'defer.ask': { lease: '1s' } });
  theatre.worker({
    'defer.ask': async ({ timeout }: { timeout?: '1s' }, ctx) => {
      deferrals.set(ctx.runId, await ctx.defer(timeout ? { timeout } : undefined));
      return 'not an answer';
    },
  });
});
afterAll(() => theatre.stop());

/** A run that waits for its deferred call. */
async function deferred(argument = '{}', params: { ttl?: '3s'; namespace?: string } = {}) {
  const { namespace = 'ada', ...rest } = params;
  const runs = theatre.runs(namespace);
  const { id } = await runs.create({
    toolset,
    script: `return await defer.ask(${argument}).catch((e: any) => [e.message, e.code, e.data ?? null])`,
    ...rest,
  });
  const deferral = await eventually(() => deferrals.get(id));
  const waiting = await eventually(async () => {
    const run = await runs.retrieve(id);
    return run.state === 'waiting' ? run : undefined;
  });
  return { id, ...deferral, waiting };
}

const end = (id: string) => theatre.runs().wait(id, { signal: AbortSignal.timeout(30_000) });

test('HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token', async () => {
  const { id, token, deadline, waiting } = await deferred('{}');
  expect(typeof token).toBe('string');
  expect(deadline).toBeInstanceOf(Date);
  expect(waiting.waitingFor).toEqual([
    expect.objectContaining({ kind: 'tool', tool: 'defer.ask', state: 'deferred', attempt: 1 }),
  ]);
  // Three leases.
  const later = Date.now() + 3000;
  await eventually(() => Date.now() > later, { every: 500 });
  expect((await theatre.runs().retrieve(id)).waitingFor).toEqual(waiting.waitingFor);
  await theatre.client.tasks.complete(token, { answer: 'yes' });
  expect((await end(id)).output).toEqual({ answer: 'yes' });
  const [call] = (await theatre.runs().trace(id)).data;
  expect(call).toMatchObject({ state: 'completed', result: { answer: 'yes' }, attempt: 1 });
});

test('HT-66: a deferred call is failed by its token', async () => {
  const { id, token } = await deferred();
  await theatre.client.tasks.fail(token, {
    message: 'the user is away',
    data: { until: 'monday' },
  });
  expect((await end(id)).output).toEqual(['the user is away', 'failed', { until: 'monday' }]);
});

test('HT-60, HT-62: a deferral that is not answered in time fails the call, once and finally', async () => {
  const { id, deadline, token } = await deferred('{ timeout: "1s" }');
  expect(deadline.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
  expect((await end(id)).output).toEqual([
    expect.stringContaining('no answer until'),
    'timed_out',
    null,
  ]);
  await expect(theatre.client.tasks.complete(token, 1)).rejects.toBeInstanceOf(RunEndedError);
});

test('HT-61: no deferral lasts longer than its run', async () => {
  const { id, deadline, token } = await deferred('{}', { ttl: '3s' });
  const run = await theatre.runs().retrieve(id);
  expect(deadline.toISOString()).toBe(run.expiresAt);
  expect(await end(id)).toMatchObject({ state: 'expired' });
  await expect(theatre.client.tasks.complete(token, 1)).rejects.toBeInstanceOf(RunEndedError);
});

test('HT-67: the first answer counts; an equal one is fine, another is told that it lost', async () => {
  const { id, token } = await deferred('{}');
  const second = await theatre.runs().create({
    toolset,
    script: 'const a = await defer.ask({}); await waitForSignal("go"); return a',
  });
  const open = await eventually(() => deferrals.get(second.id));
  await theatre.client.tasks.complete(open.token, { n: 1, m: 2 });
  await theatre.client.tasks.complete(open.token, { m: 2, n: 1 });
  await expect(theatre.client.tasks.complete(open.token, { n: 2 })).rejects.toBeInstanceOf(
    ConflictError,
  );
  await expect(theatre.client.tasks.fail(open.token, { message: 'no' })).rejects.toMatchObject({
    code: 'already_answered',
    status: 409,
  });
  await theatre.runs().signal(second.id, 'go');
  expect((await end(second.id)).output).toEqual({ n: 1, m: 2 });
  await theatre.client.tasks.complete(token, null);
  expect((await end(id)).output).toBe(null);
});

test('HT-58, HT-59, HT-64: the answer may come through any client after the worker and the script worker are gone', async () => {
  const { id, token } = await deferred('{}');
  await theatre.rewind.restartScriptWorker();
  const { url, apiKey } = theatre.rewind;
  const response = await fetch(`${url}/v1/tasks/complete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token, result: 'by hand' }),
  });
  expect(response.status).toBe(200);
  expect((await end(id)).output).toBe('by hand');
});

test('an answer that comes while no script worker is up is kept', async () => {
  const { id, token } = await deferred('{}');
  await theatre.rewind.withoutScriptWorker(() => theatre.client.tasks.complete(token, 'kept'));
  expect((await end(id)).output).toBe('kept');
});

test('a token of another end user, a changed one and none at all read the same', async () => {
  const { id, token } = await deferred('{}', {});
  const refused = async (text: string, namespace?: string) => {
    const client = namespace ? theatre.client.namespace(namespace) : theatre.client;
    const error = await client.tasks.complete(text, 1).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(NotFoundError);
    const { code, message, status } = error as { code: string; message: string; status: number };
    return { code, message, status };
  };
  const foreign = await refused(token, 'bob');
  expect(await refused(`${token.slice(0, -4)}AAAA`)).toEqual(foreign);
  expect(await refused('nonsense')).toEqual(foreign);
  await theatre.client.namespace('ada').tasks.complete(token, 'mine');
  expect((await end(id)).output).toBe('mine');
});
