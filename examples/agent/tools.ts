import { HostToolError, tool } from '@rewind.codes/sdk';
import { z } from 'zod';

const customers = new Map([
  ['ada@example.com', { id: 'c_1', name: 'Ada' }],
  ['bob@example.com', { id: 'c_2', name: 'Bob' }],
]);

/** What the scripts of the model can call. */
export const tools = {
  'crm.find_customer': tool({
    description: 'Find a customer by email.',
    input: z.object({ email: z.string() }),
    output: z.object({ id: z.string(), name: z.string() }),
    handler: ({ email }) => {
      const customer = customers.get(email);
      if (customer) return customer;
      throw new HostToolError(`no customer ${email}`, { data: { code: 'not_found' } });
    },
  }),
  'mail.send': tool({
    description: 'Send a mail from a template.',
    input: z.object({ to: z.string(), template: z.enum(['invoice', 'reminder']) }),
    output: z.object({ id: z.string() }),
    policy: 'at_most_once',
    handler: ({ to, template }, ctx) => {
      console.log(`  (mail to ${to}: ${template})`);
      return { id: `mail_${ctx.seq}` };
    },
  }),
};
