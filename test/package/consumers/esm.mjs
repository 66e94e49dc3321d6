import * as sdk from '@rewind.codes/sdk';
import { HostToolError, Rewind, tool } from '@rewind.codes/sdk';
import { limits } from '@rewind.codes/sdk/protocol';
import { z } from 'zod';

const rewind = new Rewind();
const tools = {
  'greetings.esm': tool({
    description: 'Greet somebody.',
    input: z.object({ name: z.string() }),
    handler: async ({ name }, ctx) => `hello ${name}, ${ctx.namespace}`,
  }),
};
const toolset = await rewind.toolsets.create({ tools });
const worker = rewind.worker({ tools, toolset: toolset.id, pollWait: '2s' });
const { runs } = rewind.namespace('esm');
const script = 'return await greetings.esm(input);';
const { id } = await runs.create({ script, toolset: toolset.id, input: { name: 'Ada' } });
const run = await runs.wait(id);
await worker.stop();
const ok = limits.attempts === 5 && sdk.HostToolError === HostToolError;
console.log(ok, run.output);
