import { Rewind, type Run } from '@rewind.codes/sdk';

async function main(): Promise<void> {
  const rewind = new Rewind();
  const toolset = await rewind.toolsets.create({
    tools: {
      'greetings.tsx': {
        description: 'Greet somebody.',
        input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    },
  });
  const worker = rewind.worker({
    toolset: toolset.id,
    pollWait: '2s',
    tools: {
      'greetings.tsx': ({ name }: { name: string }, ctx) => `hello ${name}, ${ctx.namespace}`,
    },
  });
  const { runs } = rewind.namespace('tsx');
  const script = 'return await greetings.tsx(input);';
  const { id } = await runs.create({ script, toolset: toolset.id, input: { name: 'Ada' } });
  const run: Run = await runs.wait(id);
  await worker.stop();
  console.log(true, run.output);
}

void main();
