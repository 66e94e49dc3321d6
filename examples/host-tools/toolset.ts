import type { ToolDeclaration } from '@rewind.codes/sdk';

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text = { type: 'string' };
const email = object({ email: text });
const customer = object({ id: text, email: text, name: text });

/** What scripts may call. The handlers are in worker.ts. */
export const tools = {
  'crm.find_customer': {
    description: 'Find a customer by email. Fails with data.code "not_found" where there is none.',
    input: email,
    output: customer,
  },
  'crm.create_customer': {
    description: 'Create a customer.',
    input: email,
    output: customer,
  },
  ask_user: {
    description: 'Ask the end user a question and wait for the answer, for days if need be.',
    input: object({ question: text }),
    output: object({ answer: text }),
    // Nobody wants to be asked the same question twice.
    policy: 'at_most_once',
  },
} satisfies Record<string, ToolDeclaration>;
