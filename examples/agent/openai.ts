import { Rewind } from '@rewind.codes/sdk';
import OpenAI from 'openai';
import { tools as hostTools } from './tools';

/** An agent on the Responses API: OPENAI_API_KEY, REWIND_API_KEY, and the task as the argument. */
async function main(task: string): Promise<void> {
  const rewind = new Rewind();
  const toolset = await rewind.toolsets.create({ tools: hostTools });
  const worker = rewind.worker({ tools: hostTools });
  const agent = rewind
    .namespace('ada')
    .agentTools({ toolset: toolset.id, labels: { conversation: crypto.randomUUID() } });
  const { tools, handle } = agent.openai();

  const client = new OpenAI();
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: task }];
  try {
    for (;;) {
      const response = await client.responses.create({
        model: process.env['OPENAI_MODEL'] ?? 'gpt-5',
        instructions: agent.instructions,
        tools,
        input,
      });
      input.push(...(response.output as OpenAI.Responses.ResponseInput));
      if (response.output_text !== '') console.log(response.output_text);
      const calls = response.output.filter((item) => item.type === 'function_call');
      if (calls.length === 0) return;
      for (const { name } of calls) console.log(`> ${name}`);
      input.push(...(await Promise.all(calls.map(handle))));
    }
  } finally {
    await worker.stop();
  }
}

main(process.argv[2] ?? 'Send Ada (ada@example.com) her invoice.').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
