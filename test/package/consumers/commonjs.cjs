const { HostToolError, Rewind, RewindError, tool } = require('@rewind.codes/sdk');
const { limits } = require('@rewind.codes/sdk/protocol');
const manifest = require('@rewind.codes/sdk/package.json');
const { z } = require('zod');

async function main() {
  const rewind = new Rewind();
  const tools = {
    'greetings.commonjs': tool({
      description: 'Greet somebody.',
      input: z.object({ name: z.string() }),
      handler: async ({ name }, ctx) => `hello ${name}, ${ctx.namespace}`,
    }),
  };
  const toolset = await rewind.toolsets.create({ tools });
  const worker = rewind.worker({ tools, toolset: toolset.id, pollWait: '2s' });
  const { runs } = rewind.namespace('commonjs');
  const script = 'return await greetings.commonjs(input);';
  const { id } = await runs.create({ script, toolset: toolset.id, input: { name: 'Ada' } });
  const run = await runs.wait(id);
  await worker.stop();
  const ok =
    limits.attempts === 5 &&
    manifest.name === '@rewind.codes/sdk' &&
    HostToolError.isInstance(new HostToolError('x')) &&
    !RewindError.isInstance(new Error('x'));
  console.log(ok, run.output);
}

main();
