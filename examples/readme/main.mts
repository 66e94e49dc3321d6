import { Rewind, tool } from '@rewind.codes/sdk';
import { z } from 'zod';

const tools = {
  'crm.find_customer': tool({
    description: 'Find a customer by email.',
    input: z.object({ email: z.string() }),
    output: z.object({ name: z.string() }),
    handler: ({ email }, ctx) => ({ name: `${email.split('@')[0]}, of ${ctx.namespace}` }),
  }),
};

const rewind = new Rewind(); // takes REWIND_API_KEY
const toolset = await rewind.toolsets.create({ tools });
const worker = rewind.worker({ tools }); // executes the calls, in this process

const { runs } = rewind.namespace('ada'); // the end user whom the run acts for
const run = await runs.create({
  toolset: toolset.id,
  input: { emails: ['bob@example.com', 'eve@example.com'] },
  script: `
    const found = await Promise.all(input.emails.map((email) => crm.find_customer({ email })));
    return found.map((customer) => customer.name);
  `,
});
console.log((await runs.wait(run.id)).output);
await worker.stop();
