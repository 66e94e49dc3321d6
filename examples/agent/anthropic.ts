import Anthropic from '@anthropic-ai/sdk';
import { Rewind } from '@rewind.codes/sdk';
import { tools as hostTools } from './tools';

/** An agent on the Messages API: ANTHROPIC_API_KEY, REWIND_API_KEY, and the task as the argument. */
async function main(task: string): Promise<void> {
  const rewind = new Rewind();
  const toolset = await rewind.toolsets.create({ tools: hostTools });
  const worker = rewind.worker({ tools: hostTools });
  const agent = rewind
    .namespace('ada')
    .agentTools({ toolset: toolset.id, labels: { conversation: crypto.randomUUID() } });
  const { tools, handle } = agent.anthropic();

  const client = new Anthropic();
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
  try {
    for (;;) {
      const message = await client.messages.create({
        model: process.env['ANTHROPIC_MODEL'] ?? 'claude-sonnet-4-5',
        max_tokens: 4096,
        system: agent.instructions,
        tools,
        messages,
      });
      messages.push({ role: 'assistant', content: message.content });
      for (const block of message.content) if (block.type === 'text') console.log(block.text);
      const calls = message.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) return;
      for (const { name } of calls) console.log(`> ${name}`);
      messages.push({ role: 'user', content: await Promise.all(calls.map(handle)) });
    }
  } finally {
    await worker.stop();
  }
}

main(process.argv[2] ?? 'Send Ada (ada@example.com) her invoice.').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
