import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { limits } from '../../../sdk/protocol';
import { startStage, type Stage } from '../runs/stage';

// Values on both sides of every limit, counted in bytes of JSON. `é` is two bytes, `𝄞` four, and `"`
// inside JSON two, so a count of characters would be wrong each time.
const KiB = 1024;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage.stop(), 60_000);

/** A text whose JSON has exactly so many bytes. */
function textOf(bytes: number, unit = 'é'): string {
  const size = Buffer.byteLength(JSON.stringify(unit)) - 2;
  const count = Math.floor((bytes - 2) / size);
  return unit.repeat(count) + 'x'.repeat(bytes - 2 - count * size);
}

/** In a script: the same text, made there. */
const inScript = (bytes: number, unit = 'é') => {
  const text = textOf(bytes, unit);
  const fill = text.length - text.replace(/x+$/, '').length;
  return `"${unit}".repeat(${(text.length - fill) / unit.length}) + "x".repeat(${fill})`;
};

/** `{"value":…}` around a text. */
const ARGUMENT = Buffer.byteLength('{"value":}');

test.each(['é', '𝄞', '\\"'])(
  'an input of 1 MiB of %s is taken, one byte more is refused',
  async (unit) => {
    const text = textOf(limits.inputBytes, JSON.parse(`"${unit}"`) as string);
    const run = await stage.run('return (input as string).length;', { input: text });
    expect(run).toMatchObject({ state: 'completed', output: text.length });
    await expect(stage.create('return 1;', { input: `${text}x` })).rejects.toMatchObject({
      code: 'too_large',
      limit: limits.inputBytes,
    });
  },
  60_000,
);

test('arguments and result of 1 MiB go through and are in the trace; one byte more is a RangeError', async () => {
  const text = inScript(limits.argumentsBytes - ARGUMENT);
  const run = await stage.run(`
    const text = ${text};
    const back = await echo({ value: text });
    const refused = await echo({ value: text + "x" }).catch((error: unknown) => String(error));
    return [back === text, refused];`);
  expect(run.output).toEqual([
    true,
    `RangeError: echo: the argument is larger than ${limits.argumentsBytes} bytes of JSON`,
  ]);
  const { data } = await stage.runs().trace(run.id);
  const sent = (data[0]?.input as { value: string }).value;
  expect(Buffer.byteLength(JSON.stringify(data[0]?.input))).toBe(limits.argumentsBytes);
  expect(data[0]?.result).toBe(sent);
}, 60_000);

test('an output of 1 MiB is given back whole; one byte more ends the run with the limit', async () => {
  const largest = await stage.run(`return ${inScript(limits.outputBytes)};`);
  expect(Buffer.byteLength(JSON.stringify(largest.output))).toBe(limits.outputBytes);
  const over = await stage.run(`return ${inScript(limits.outputBytes)} + "x";`);
  expect(over).toMatchObject({
    state: 'failed',
    error: { limit: 'output', message: expect.stringContaining(String(limits.outputBytes)) },
  });
}, 60_000);

test('a result over the limit fails the call and tells both sides the limit, without waiting for the lease', async () => {
  const declared = await stage.client.toolsets.create({
    tools: { 'sizes.give': { description: 'Gives so much.', input: { type: 'object' } } },
  });
  const errors: unknown[] = [];
  const worker = stage.client.worker({
    pollWait: '2s',
    tools: { 'sizes.give': ({ bytes }: { bytes: number }) => textOf(bytes) },
    onError: (error) => errors.push(error),
  });
  const run = await stage.run(
    `const most = await sizes.give({ bytes: ${limits.resultBytes} }) as string;
     const over = await sizes.give({ bytes: ${limits.resultBytes + 1} }).catch((error: unknown) => String(error));
     return [most.length, over];`,
    { toolset: declared.id },
  );
  await worker.stop();
  expect(run.output).toEqual([
    textOf(limits.resultBytes).length,
    expect.stringMatching(/larger|1048576|1 MiB/),
  ]);
  expect(String(errors[0])).toMatch(/1048576|1 MiB/);
}, 60_000);

test('a deferred answer of 1 MiB reaches the script and the trace; one byte more is refused to who answers', async () => {
  const { id } = await stage.create(
    `const answer = await people.ask({ question: "much?" }) as string; return answer.length;`,
  );
  const token = await stage.token(id, 1);
  const text = textOf(limits.resultBytes);
  await expect(stage.client.tasks.complete(token, `${text}x`)).rejects.toMatchObject({
    limit: limits.resultBytes,
  });
  await stage.client.tasks.complete(token, text);
  const run = await stage.runs().wait(id);
  expect(run.output).toBe(text.length);
  expect((await stage.runs().trace(id)).data[0]?.result).toBe(text);
}, 60_000);

test('a signal of 256 KiB arrives; one byte more is refused to who sends it', async () => {
  const { id } = await stage.create(
    'const text = await waitForSignal<string>("go"); return text?.length;',
  );
  const text = textOf(limits.signalBytes);
  await expect(stage.runs().signal(id, 'go', `${text}x`)).rejects.toMatchObject({
    code: 'too_large',
    limit: limits.signalBytes,
  });
  await stage.runs().signal(id, 'go', text);
  expect((await stage.runs().wait(id)).output).toBe(text.length);
}, 60_000);

test('the data of an error arrives up to 256 KiB, its message up to 16 KiB', async () => {
  const data = inScript(limits.errorDataBytes);
  const run = await stage.run(
    `const data = ${data};
     try { await work.fail({ message: "m".repeat(20_000), data }); } catch (error) {
       const { message, data: told } = error as ToolError;
       return [message.length, told === data];
     }
     return "not reached";`,
  );
  const [length, same] = run.output as [number, boolean];
  expect(same).toBe(true);
  expect(length).toBeGreaterThan(1000);
  expect(length).toBeLessThanOrEqual(limits.errorMessageBytes);
  const { data: entries } = await stage.runs().trace(run.id);
  expect(Buffer.byteLength(JSON.stringify(entries[0]?.error?.data))).toBe(limits.errorDataBytes);
}, 60_000);

test('a script fails with data of 256 KiB and a full log, and both can be read', async () => {
  const run = await stage.run(
    `for (let i = 0; i < 2_000; i++) console.log("é".repeat(40), i);
     await work.fail({ message: "no", data: ${inScript(limits.errorDataBytes)} });`,
  );
  expect(run).toMatchObject({ state: 'failed', error: { message: 'no', line: 2 } });
  expect(Buffer.byteLength(JSON.stringify(run.error?.data))).toBe(limits.errorDataBytes);
  const log = await stage.runs().log(run.id);
  expect(log.total).toBeGreaterThan(limits.logBytes / 2);
}, 60_000);

test('a script of 256 KiB runs; one byte more is refused', async () => {
  const comment = (bytes: number) => `// ${'é'.repeat(Math.floor((bytes - 30) / 2))}`;
  const script = `${comment(limits.scriptBytes)}\nreturn 1;`;
  const padded = script + ' '.repeat(limits.scriptBytes - Buffer.byteLength(script));
  expect(await stage.run(padded)).toMatchObject({ state: 'completed', output: 1 });
  await expect(stage.create(`${padded} `)).rejects.toMatchObject({
    code: 'too_large',
    limit: limits.scriptBytes,
  });
}, 60_000);

test('labels and namespace at their limits are kept, shown, and found again', async () => {
  const namespace = '名'.repeat(limits.namespaceLength);
  const labels = Object.fromEntries(
    Array.from({ length: limits.labels }, (_, index) => [
      `${'鍵'.repeat(limits.labelKeyLength - 2)}${index + 10}`,
      '値'.repeat(limits.labelValueLength),
    ]),
  );
  const run = await stage.run('return run.labels;', { labels }, namespace);
  expect(run).toMatchObject({ state: 'completed', output: labels, labels, namespace });
}, 60_000);

describe('1,000 calls in flight', () => {
  test('with arguments and results of 20 KiB, which the history holds, go through', async () => {
    // Made in four turns: the arguments of one turn cost computing time as well.
    const { id } = await stage.create(`
        const text = "x".repeat(${20 * KiB - 40});
        const back: Promise<boolean>[] = [];
        for (let n = 0; n < 1_000; n++) {
          back.push(echo({ value: n + text }).then((value) => value === n + text));
          if (n % 250 === 249) await sleep("1ms");
        }
        return (await Promise.all(back)).filter(Boolean).length;`);
    const run = await stage.runs().wait(id);
    expect(run.error).toBeUndefined();
    expect(run).toMatchObject({ state: 'completed', output: 1_000 });
    const page = await stage.runs().trace(run.id, { limit: 200 });
    // Bounded in bytes, whatever the calls carry.
    expect(JSON.stringify(page.data).length).toBeLessThan(2.5 * 1024 * KiB);
    expect(page.nextCursor).toBeDefined();
  }, 300_000);
});
