import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AuthenticationError, type AgentTools } from '@rewind.codes/sdk';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import OpenAI from 'openai';
import { startModelProvider, type Model, type ModelProvider } from '../../support/model-provider';
import { startStage, type Stage } from '../runs/stage';

let stage: Stage;
let provider: ModelProvider | undefined;

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());
afterEach(async () => {
  await provider?.stop();
  provider = undefined;
});

const agentOf = (conversation: string): AgentTools =>
  stage.client.namespace('ada').agentTools({ toolset: stage.toolset, labels: { conversation } });

/**
 * Looks at the tools, writes a script with a mistake, mends it, starts a run that waits while it asks for
 * another one, and sends the signal that the run waits for.
 */
const model: Model = (results, turn) => {
  const [last = '', second = ''] = results.slice(turn === 5 ? -2 : -1);
  const call = (name: string, input: unknown) => ({ id: `call_${turn}_${name}`, name, input });
  switch (turn) {
    case 1:
      return { calls: [call('describe_tools', { names: ['math'] })] };
    case 2:
      expect(last).toContain('math.add(input: ');
      return { calls: [call('run_script', { script: 'return await math.add({ a: 1, c: 2 });' })] };
    case 3:
      expect(last).toMatch(/^Refused: /);
      return { calls: [call('run_script', { script: 'return await math.add({ a: 1, b: 2 });' })] };
    case 4:
      expect(last).toMatch(/^Completed: [^]*\| {"sum":3}/);
      return {
        calls: [
          call('run_script', { script: 'return await waitForSignal("go");' }),
          call('list_runs', {}),
        ],
      };
    case 5: {
      expect(second).toMatch(/^OK: /);
      const run_id = /^Waiting: (run_\w+)/.exec(last)?.[1];
      return { calls: [call('signal_run', { run_id, name: 'go', payload: 'now' })] };
    }
    case 6: {
      const run_id = /delivered to (run_\w+)$/.exec(last)?.[1];
      return { calls: [call('get_run', { run_id, wait_seconds: 20 })] };
    }
    default:
      return { text: last };
  }
};

const ending = /^Completed: run_\w+, 0 calls, .*\nOutput \(text, 3 bytes\):\n\| now$/;

describe('AT-01: a harness passes the definitions to its model and the calls to the handlers', () => {
  test('AT-01: with the client of Anthropic', async () => {
    provider = await startModelProvider(model);
    const client = new Anthropic({ apiKey: 'k', baseURL: provider.url, maxRetries: 0 });
    const agent = agentOf('anthropic');
    const { tools, handle } = agent.anthropic();
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Add 1 and 2.' }];
    const flags: boolean[] = [];
    for (;;) {
      const message = await client.messages.create({
        model: 'stand-in',
        max_tokens: 1000,
        system: agent.instructions,
        tools,
        messages,
      });
      messages.push({ role: 'assistant', content: message.content });
      const uses = message.content.filter((block) => block.type === 'tool_use');
      if (uses.length === 0) {
        expect(message.content).toMatchObject([{ type: 'text' }]);
        expect(message.content.map((block) => 'text' in block && block.text)).toEqual([
          expect.stringMatching(ending),
        ]);
        break;
      }
      const content = await Promise.all(uses.map((block) => handle(block)));
      flags.push(...content.map((block) => block.is_error));
      messages.push({ role: 'user', content });
    }
    expect(flags).toEqual([false, true, false, false, false, false, false]);
  });

  test('AT-01: with the client of OpenAI, by Responses', async () => {
    provider = await startModelProvider(model);
    const client = new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1`, maxRetries: 0 });
    const agent = agentOf('responses');
    const { tools, handle } = agent.openai();
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Add 1 and 2.' }];
    for (;;) {
      const response = await client.responses.create({
        model: 'stand-in',
        instructions: agent.instructions,
        tools,
        input,
      });
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
      const calls = response.output.filter((item) => item.type === 'function_call');
      if (calls.length === 0) {
        expect(response.output_text).toMatch(ending);
        break;
      }
      input.push(...(await Promise.all(calls.map((item) => handle(item)))));
    }
  });

  test('AT-01: with the client of OpenAI, by Chat Completions', async () => {
    provider = await startModelProvider(model);
    const client = new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1`, maxRetries: 0 });
    const agent = agentOf('chat');
    const { tools, handle } = agent.openaiChat();
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: agent.instructions },
      { role: 'user', content: 'Add 1 and 2.' },
    ];
    for (;;) {
      const completion = await client.chat.completions.create({ model: 'x', tools, messages });
      const message = completion.choices[0]?.message;
      if (!message) throw new Error('no message');
      messages.push(message);
      const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
      if (calls.length === 0) {
        expect(message.content).toMatch(ending);
        break;
      }
      messages.push(...(await Promise.all(calls.map((call) => handle(call)))));
    }
  });

  test('AT-01: with the AI SDK', async () => {
    const { tools, abortSignal, rethrow } = agentOf('ai-sdk').aiSdk();
    const given: unknown[] = [];
    const results = await generateText({
      model: turns((results, turn) => {
        given.push(...results);
        return model(
          results.map((result) => result.value),
          turn,
        );
      }),
      tools,
      abortSignal,
      stopWhen: stepCountIs(10),
      prompt: 'Add 1 and 2.',
    });
    rethrow();
    expect(results.text).toMatch(ending);
    expect(given).toContainEqual({ type: 'error-text', value: expect.stringMatching(/^Refused/) });
  });
});

describe('faults', () => {
  const bad = () =>
    stage.rewind.client({ apiKey: 'rk_wrong', maxRetries: 0 }).namespace('ada').agentTools({
      toolset: stage.toolset,
    });
  const call = { id: 'c1', name: 'list_runs', arguments: '{}' };

  test('AT-27: a refused key is thrown by every adapter', async () => {
    await expect(
      bad().anthropic().handle({ type: 'tool_use', id: 'c1', name: 'list_runs', input: {} }),
    ).rejects.toThrow(AuthenticationError);
    await expect(
      bad()
        .openai()
        .handle({ type: 'function_call', call_id: 'c1', ...call }),
    ).rejects.toThrow(AuthenticationError);
    await expect(
      bad().openaiChat().handle({ id: 'c1', type: 'function', function: call }),
    ).rejects.toThrow(AuthenticationError);
    await expect(
      bad()
        .mcp()
        .callTool({ params: { name: 'list_runs' } }),
    ).rejects.toThrow(AuthenticationError);
    const { tools, abortSignal, rethrow } = bad().aiSdk();
    let asked = 0;
    await generateText({
      model: turns((_results, turn) => {
        asked = turn;
        return { calls: [{ id: `c${turn}`, name: 'list_runs', input: {} }] };
      }),
      tools,
      abortSignal,
      stopWhen: stepCountIs(5),
      prompt: 'x',
    }).catch(() => undefined);
    expect(rethrow).toThrow(AuthenticationError);
    expect(asked).toBe(1);
  });

  test('AT-22: arguments that are no JSON are a result, by the APIs that give text', async () => {
    const agent = agentOf('bad');
    const wrong = { name: 'signal_run', arguments: '{"run_id": ' };
    const { output } = await agent
      .openai()
      .handle({ type: 'function_call', call_id: 'c', ...wrong });
    expect(output).toMatch(/^Error: bad arguments for signal_run\n\| /);
    const { content } = await agent
      .openaiChat()
      .handle({ id: 'c', type: 'function', function: wrong });
    expect(content).toBe(output);
  });
});

test('FC-38: the definitions are plain objects of bounded size that providers take, whatever the toolset', async () => {
  const { definitions } = agentOf('definitions');
  const seen: string[] = [];
  provider = await startModelProvider(() => ({ text: 'fine' }));
  const client = new Anthropic({ apiKey: 'k', baseURL: provider.url, maxRetries: 0 });
  for (const { name, inputSchema } of definitions) {
    seen.push(name);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(anyOf|oneOf|allOf|\$ref|\$defs)"/);
    jsonSchema(inputSchema);
  }
  expect(seen).toHaveLength(11);
  expect(JSON.stringify(definitions).length).toBeLessThan(8_000);
  const { tools } = agentOf('definitions').anthropic();
  const request = {
    model: 'x',
    max_tokens: 1,
    messages: [{ role: 'user' as const, content: 'x' }],
  };
  await client.messages.create({ ...request, tools });
  const choice = { ...tools[0]!, input_schema: { type: 'object' as const, anyOf: [] } };
  await expect(client.messages.create({ ...request, tools: [choice] })).rejects.toThrow(/anyOf/);
});

/** A model of the AI SDK that plays turns. */
function turns(
  play: (results: { type: string; value: string }[], turn: number) => ReturnType<Model>,
): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) =>
        role === 'tool'
          ? content.flatMap((part) =>
              part.type === 'tool-result'
                ? [part.output as unknown as { type: string; value: string }]
                : [],
            )
          : [],
      );
      const next = play(results, (turn += 1));
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      };
      return Promise.resolve({
        content:
          'text' in next
            ? [{ type: 'text' as const, text: next.text }]
            : next.calls.map(({ id, name, input }) => ({
                type: 'tool-call' as const,
                toolCallId: id,
                toolName: name,
                input: JSON.stringify(input),
              })),
        finishReason: {
          unified: 'text' in next ? ('stop' as const) : ('tool-calls' as const),
          raw: undefined,
        },
        usage,
        warnings: [],
      });
    },
  });
}
