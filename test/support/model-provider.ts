import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does in a turn: tool calls, or its last words. */
export type Turn = { calls: { id: string; name: string; input: unknown }[] } | { text: string };
/** Plays the model: the next turn, by the results of the calls of the turn before. */
export type Model = (results: string[], turn: number) => Turn;

/** A stand-in of the providers' APIs that refuses what they refuse. */
export interface ModelProvider {
  url: string;
  /** Bodies of the requests so far. */
  requests: Record<string, unknown>[];
  /** Flags of the results that the last request brought, where the API has one. */
  errors: boolean[];
  stop(): Promise<void>;
}

class Refused extends Error {}

interface Spoken {
  results: { id: string; text: string; isError: boolean }[];
}

const MiB = 2 ** 20;

export async function startModelProvider(model: Model): Promise<ModelProvider> {
  const requests: Record<string, unknown>[] = [];
  const provider = { requests, errors: [] as boolean[] };
  let turns = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const answer = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      try {
        const text = await bodyOf(request);
        if (text.length > 32 * MiB) throw new Refused('request too large');
        if (!text.isWellFormed()) throw new Refused('not valid UTF-8');
        const body = JSON.parse(text) as Record<string, unknown>;
        requests.push(body);
        const api = apis[request.url ?? ''];
        if (!api) throw new Refused(`no such path ${request.url}`);
        checkTools(api.tools(body));
        const { results } = api.read(body);
        provider.errors = results.map(({ isError }) => isError);
        const last = results.map((result) => result.text);
        if (last.some((result) => result.length > MiB)) throw new Refused('a result is too large');
        answer(200, api.write(model(last, (turns += 1))));
      } catch (error) {
        const message = (error as Error).message;
        answer(error instanceof Refused ? 400 : 500, {
          type: 'error',
          error: { type: 'invalid_request_error', message },
        });
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(provider, {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

interface ToolShape {
  name: unknown;
  description: unknown;
  schema: unknown;
}

function checkTools(tools: ToolShape[]): void {
  if (tools.length === 0 || tools.length > 128) throw new Refused(`tools: ${tools.length}`);
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) throw new Refused('tools: names must be unique');
  for (const { name, description, schema } of tools) {
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new Refused(`tools: name ${JSON.stringify(name)}`);
    }
    if (typeof description !== 'string' || description.length > 1024) {
      throw new Refused(`tools: description of ${name}`);
    }
    const root = schema as Record<string, unknown>;
    if (root['type'] !== 'object') throw new Refused(`tools: ${name}: root is no object`);
    for (const choice of ['anyOf', 'oneOf', 'allOf', 'enum', 'not']) {
      if (choice in root) throw new Refused(`tools: ${name}: ${choice} at the root`);
    }
  }
}

/** Each call has one result, and each result a call. */
function checkAnswered(calls: string[], results: string[]): void {
  for (const id of calls) {
    const n = results.filter((result) => result === id).length;
    if (n !== 1) throw new Refused(`call ${id} has ${n} results`);
  }
  const stray = results.find((id) => !calls.includes(id));
  if (stray !== undefined) throw new Refused(`result ${stray} has no call`);
}

interface Api {
  tools(body: Record<string, unknown>): ToolShape[];
  /** Checks the conversation, and gives the results that its end brings. */
  read(body: Record<string, unknown>): Spoken;
  write(turn: Turn): unknown;
}

type Block = Record<string, string> & { is_error?: boolean };

const messagesApi: Api = {
  tools: ({ tools }) =>
    (tools as Record<string, unknown>[]).map(({ name, description, input_schema: schema }) => ({
      name,
      description,
      schema,
    })),
  read: ({ messages }) => {
    const list = messages as { role: string; content: string | Block[] }[];
    let results: Spoken['results'] = [];
    list.forEach(({ role, content }, index) => {
      if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
        throw new Refused('roles must alternate');
      const blocks = (at: number, type: string) => {
        const given = list[at]?.content;
        return Array.isArray(given) ? given.filter((block) => block['type'] === type) : [];
      };
      if (role !== 'user' || !Array.isArray(content)) return;
      const answers = blocks(index, 'tool_result');
      checkAnswered(
        blocks(index - 1, 'tool_use').map(({ id = '' }) => id),
        answers.map(({ tool_use_id: id = '' }) => id),
      );
      results = answers.map((block) => ({
        id: block['tool_use_id'] ?? '',
        text: block['content'] ?? '',
        isError: block.is_error === true,
      }));
    });
    if (list.at(-1)?.role !== 'user') throw new Refused('the last message must be of the user');
    return { results };
  },
  write: (turn) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stand-in',
    content:
      'text' in turn
        ? [{ type: 'text', text: turn.text }]
        : turn.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    stop_reason: 'text' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
};

const responsesApi: Api = {
  tools: ({ tools }) =>
    (tools as Record<string, unknown>[]).map(({ name, description, parameters: schema }) => ({
      name,
      description,
      schema,
    })),
  read: ({ input }) => {
    const items = Array.isArray(input) ? (input as Record<string, string>[]) : [];
    const of = (type: string) => items.filter((item) => item['type'] === type);
    const outputs = of('function_call_output');
    for (const { arguments: text = '' } of of('function_call')) JSON.parse(text);
    checkAnswered(
      of('function_call').map(({ call_id: id = '' }) => id),
      outputs.map(({ call_id: id = '' }) => id),
    );
    return {
      results: outputs.map((item) => ({
        id: item['call_id'] ?? '',
        text: item['output'] ?? '',
        isError: false,
      })),
    };
  },
  write: (turn) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'stand-in',
    output:
      'text' in turn
        ? [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: turn.text, annotations: [] }],
            },
          ]
        : turn.calls.map(({ id, name, input }) => ({
            type: 'function_call',
            id: `fc_${id}`,
            call_id: id,
            name,
            arguments: JSON.stringify(input),
            status: 'completed',
          })),
  }),
};

const chatApi: Api = {
  tools: ({ tools }) =>
    (tools as { function: Record<string, unknown> }[]).map(({ function: tool }) => ({
      name: tool['name'],
      description: tool['description'],
      schema: tool['parameters'],
    })),
  read: ({ messages }) => {
    const list = messages as {
      role: string;
      content: string | null;
      tool_call_id?: string;
      tool_calls?: { id: string }[];
    }[];
    let results: Spoken['results'] = [];
    list.forEach(({ tool_calls: calls }, index) => {
      if (!calls) return;
      const rest = list.slice(index + 1);
      const end = rest.findIndex(({ role }) => role !== 'tool');
      results = rest.slice(0, end < 0 ? rest.length : end).map((message) => ({
        id: message.tool_call_id ?? '',
        text: message.content ?? '',
        isError: false,
      }));
      checkAnswered(
        calls.map(({ id }) => id),
        results.map(({ id }) => id),
      );
    });
    return { results };
  },
  write: (turn) => ({
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: 'stand-in',
    choices: [
      {
        index: 0,
        finish_reason: 'text' in turn ? 'stop' : 'tool_calls',
        message:
          'text' in turn
            ? { role: 'assistant', content: turn.text, refusal: null }
            : {
                role: 'assistant',
                content: null,
                refusal: null,
                tool_calls: turn.calls.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(input) },
                })),
              },
      },
    ],
  }),
};

const apis: Record<string, Api> = {
  '/v1/messages': messagesApi,
  '/v1/responses': responsesApi,
  '/v1/chat/completions': chatApi,
};
