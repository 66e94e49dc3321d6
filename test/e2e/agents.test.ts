import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startProgram } from '../support/child-process';
import { startModelProvider, type Model, type ModelProvider } from '../support/model-provider';
import { root } from '../support/repository';
import { startRewind, type TestRewind } from '../support/rewind';

let rewind: TestRewind;
let provider: ModelProvider | undefined;

beforeAll(async () => {
  rewind = await startRewind();
});
afterAll(() => rewind.stop());
afterEach(async () => {
  await provider?.stop();
  provider = undefined;
});

const env = (more: Record<string, string> = {}) => ({
  ...(process.env as Record<string, string>),
  REWIND_API_KEY: rewind.apiKey,
  REWIND_BASE_URL: rewind.url,
  ...more,
});

const good = `const { name } = await crm.find_customer({ email: input.email });
const { id } = await mail.send({ to: input.email, template: "invoice" });
return { name, id };`;

/** Writes a script with a mistake, and mends it. */
const model: Model = (results, turn) => {
  const last = results.at(-1) ?? '';
  const call = (name: string, input: unknown) => ({ calls: [{ id: `call_${turn}`, name, input }] });
  const input = { email: 'ada@example.com' };
  if (turn === 1) return call('describe_tools', {});
  if (turn === 2) return call('run_script', { script: good.replace('email:', 'mail:'), input });
  if (turn === 3) {
    expect(last).toMatch(/^Refused: 1 problem/);
    return call('run_script', { script: good, input });
  }
  return { text: `Done. ${last}` };
};

test.each([
  ['anthropic', (url: string) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })],
  ['openai', (url: string) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1` })],
])(
  'AT-08: examples/agent/%s.ts runs as written: a refused script is mended, and the mail is sent once',
  async (name, settings) => {
    provider = await startModelProvider(model);
    const program = startProgram(`examples/agent/${name}.ts`, [], {
      env: env(settings(provider.url)),
    });
    expect(await program.exited).toBe(0);
    expect(program.output()).toMatch(/Done\. Completed: run_\w+, 2 calls, /);
    expect(program.output()).toContain('| {"name":"Ada","id":"mail_2"}');
    expect(program.output().match(/mail to ada@example\.com: invoice/g)).toHaveLength(1);
  },
);

test('examples/agent/mcp.ts runs as written, and ends with its client', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', 'examples/agent/mcp.ts'],
    cwd: root,
    env: env(),
  });
  await client.connect(transport);
  const input = { email: 'bob@example.com' };
  const result = await client.callTool({ name: 'run_script', arguments: { script: good, input } });
  expect(result).toMatchObject({
    content: [{ text: expect.stringContaining('| {"name":"Bob","id":"mail_2"}') }],
    isError: false,
  });
  await client.close();
});
