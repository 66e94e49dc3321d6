const { HostToolError, Rewind, RewindError } = require('@rewind.codes/sdk');

test('a worker runs in jest, and its errors are told there', async () => {
  const rewind = new Rewind();
  const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const toolset = await rewind.toolsets.create({
    tools: { 'greetings.jest': { description: 'Greet somebody.', input } },
  });
  const worker = rewind.worker({
    toolset: toolset.id,
    pollWait: '2s',
    tools: { 'greetings.jest': ({ name }, ctx) => `hello ${name}, ${ctx.namespace}` },
  });
  const { runs } = rewind.namespace('jest');
  const script = 'return await greetings.jest(input);';
  const { id } = await runs.create({ script, toolset: toolset.id, input: { name: 'Ada' } });
  expect((await runs.wait(id)).output).toBe('hello Ada, jest');
  await worker.stop();

  await expect(runs.retrieve('run_00000000000000000000')).rejects.toBeInstanceOf(RewindError);
  expect(HostToolError.isInstance(new HostToolError('x'))).toBe(true);
});
