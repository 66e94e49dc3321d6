import { Rewind, tool, type Run } from '@rewind.codes/sdk';
import { z } from 'zod';

const rewind = new Rewind();
const tools = {
  'greetings.typed': tool({
    description: 'Greet somebody.',
    input: z.object({ name: z.string(), times: z.number().default(1) }),
    handler: async ({ name, times }, ctx) => {
      // The schema types the input, defaults included.
      const text: string = name;
      const count: number = times;
      return `${`hello ${text}`.repeat(count)}, ${ctx.namespace}`;
    },
  }),
  ask_user: tool({
    description: 'Ask the user.',
    input: { type: 'object' },
    policy: 'at_most_once',
    lease: '30s',
    handler: async (input, ctx) => {
      await ctx.defer({ timeout: '3d' });
    },
  }),
};
const toolset = await rewind.toolsets.create({ tools });
const worker = rewind.worker({ tools, pollWait: '2s' });
const user = rewind.namespace('typed');
const script = 'return await greetings.typed(input);';
const started = await user.runs.create({ script, toolset: toolset.id, input: { name: 'Ada' } });
const run: Run = await user.runs.wait(started.id);
await worker.stop();
console.log(true, run.output);

/** What must not compile; never called. */
export function refused(): void {
  // @ts-expect-error a duration needs its unit
  rewind.worker({ tools, pollWait: '30' });
  // @ts-expect-error a number is no duration
  void user.runs.retrieve(started.id, { wait: 30 });
  // @ts-expect-error the schema has no such member
  tool({ description: 'd', input: z.object({ a: z.string() }), handler: ({ b }) => b });
}
