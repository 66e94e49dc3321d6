import { HostToolError, Rewind } from '@rewind.codes/sdk';
import { createCustomer, findCustomer } from './crm';
import { saveQuestion } from './inbox';

// The first process: runs the handlers. Started by main.ts as `worker.ts <toolset> <inbox file>`.
const [toolset, inbox] = process.argv.slice(2);
if (!toolset || !inbox) throw new Error('usage: worker.ts <toolset> <inbox file>');

const rewind = new Rewind();

const worker = rewind.worker({
  toolset,
  concurrency: 10,
  pollWait: '2s',
  tools: {
    'crm.find_customer': ({ email }: { email: string }, ctx) => {
      // ctx.namespace is the end user the run acts for: act on their data only.
      const customer = findCustomer(ctx.namespace, email);
      if (!customer)
        throw new HostToolError(`no customer ${email}`, { data: { code: 'not_found' } });
      return customer;
    },
    // A call made again after a crash has the same key, so it creates nothing twice.
    'crm.create_customer': ({ email }: { email: string }, ctx) =>
      createCustomer(ctx.namespace, email, ctx.idempotencyKey),
    ask_user: async ({ question }: { question: string }, ctx) => {
      const later = await ctx.defer({ timeout: '3d' });
      saveQuestion(inbox, { user: ctx.namespace, question, token: later.token });
      // What this returns is not an answer: answer.ts answers, with the token.
    },
  },
});

// Lets the calls in hand finish.
process.on('SIGTERM', () => void worker.stop());

worker.done.catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
