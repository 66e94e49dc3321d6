import { invalid, readCount, readDuration } from '../client/options';
import { ConnectionError, NamespaceRequiredError } from '../errors/errors';
import type { Labels } from '../protocol/labels';
import { labelsSchema } from '../protocol/labels';
import { defaults, limits } from '../protocol/limits';
import { formatDuration } from '../protocol/duration';
import { aiSdkTools, type AiSdkTools } from './adapters/ai-sdk';
import { anthropicTools, type AnthropicTools } from './adapters/anthropic';
import { mcpTools, type McpTools } from './adapters/mcp';
import { openaiTools, type OpenAITools } from './adapters/openai';
import { openaiChatTools, type OpenAIChatTools } from './adapters/openai-chat';
import { Mistake, toolsetOf, type Agent, type AgentClient, type AgentToolHandler } from './agent';
import { readArguments } from './arguments';
import { definitionsOf } from './definitions';
import { mistakeText } from './faults';
import { instructions } from './instructions';
import { keyOf } from './key';
import { DECLARATION_BYTES, wholeLines } from './text/declarations';
import { textLiteral } from './text/escape';
import { handlers } from './tools';
import {
  agentToolNames,
  type AgentSettings,
  type AgentToolCall,
  type AgentToolDefinition,
  type AgentToolName,
  type AgentToolResult,
  type AgentToolsOptions,
} from './types';

/** What a result takes at most, beside the wait that the model asked for. */
const HANDLING_MS = 60_000;
const OUTPUT_BYTES = 262_144;

/**
 * The tools of one agent: definitions for its model, and a handler for the model's calls. Taken from
 * a client of one end user, to whom the runs belong.
 *
 * @example
 * const agent = rewind.namespace(user.id).agentTools({ toolset: toolset.id });
 * const { tools, handle } = agent.anthropic();
 */
export class AgentTools {
  /** On every run that the model starts; it sees no run without them. */
  readonly labels: Readonly<Labels>;
  /** For the model's provider; the same for every toolset. */
  readonly definitions: readonly AgentToolDefinition[];
  /** For the system prompt. */
  readonly instructions: string = instructions;
  readonly #agent: Agent;
  readonly #actsForOne: boolean;

  /** @internal */
  constructor(client: AgentClient, actsForOne: boolean, options: AgentToolsOptions = {}) {
    const settings = readSettings(options);
    this.labels = settings.labels;
    this.definitions = definitionsOf(settings.tools);
    this.#actsForOne = actsForOne;
    this.#agent = {
      client,
      settings,
      toolset: options.toolset,
      toolsets: new Map(),
      saving: Promise.resolve(),
    };
  }

  /** Id of the toolset in use: after `save_workflow`, of the derived one. Keep it with the conversation. */
  get toolset(): string | undefined {
    return this.#agent.toolset;
  }

  /** The TypeScript declarations of the toolset, for the system prompt, cut at `maxBytes` (32,768). */
  async declarations(options: { maxBytes?: number } = {}): Promise<string> {
    const most = readCount(options.maxBytes ?? DECLARATION_BYTES, 'maxBytes', 1, 2 ** 30);
    const id = toolsetOf(this.#agent);
    const { text, cut } = wholeLines(await this.#agent.client.toolsets.declarations(id), most);
    return cut ? `${text}\n// and more: describe_tools` : text;
  }

  /** `true` for the names of these tools, for harnesses with other tools beside them. */
  has(name: string): boolean {
    return this.definitions.some((definition) => definition.name === name);
  }

  /**
   * Handles a call of the model. Mistakes that the model can mend are results with `isError`; what is
   * thrown is a fault of the platform or of the harness. Handled twice, a call has one effect.
   */
  async handle(
    call: AgentToolCall,
    options: { signal?: AbortSignal } = {},
  ): Promise<AgentToolResult> {
    if (!this.#actsForOne) {
      throw new NamespaceRequiredError(
        'agent tools act for one end user: take them from rewind.namespace(id).agentTools()',
        { code: 'namespace_required' },
      );
    }
    const { id, name, input } = call;
    if (typeof id !== 'string' || id === '')
      throw invalid('id', "must be the model's tool call id");
    options.signal?.throwIfAborted();
    if (!this.has(name)) return this.#unknown(name);
    return this.#handle(name as AgentToolName, id, input, options.signal);
  }

  async #handle<Name extends AgentToolName>(
    name: Name,
    id: string,
    input: unknown,
    given: AbortSignal | undefined,
  ): Promise<AgentToolResult> {
    const read = readArguments(name, input);
    if ('problem' in read) return { text: read.problem, isError: true };
    const bound = new AbortController();
    const boundMs = HANDLING_MS + waitOf(read.arguments, this.#agent.settings.waitMs);
    const timer = setTimeout(() => {
      const message = `${name} has found no end within ${boundMs} ms`;
      bound.abort(new ConnectionError(message, { code: 'timeout' }));
    }, boundMs);
    const signal = given ? AbortSignal.any([given, bound.signal]) : bound.signal;
    try {
      const key = await keyOf(this.labels, id);
      const handler = handlers[name] as AgentToolHandler<Name>;
      return await handler(this.#agent, { name, args: read.arguments, key, signal });
    } catch (error) {
      const text = error instanceof Mistake ? error.text : mistakeText(error, name);
      if (text === undefined) throw error;
      return { text, isError: true };
    } finally {
      clearTimeout(timer);
    }
  }

  #unknown(name: unknown): AgentToolResult {
    const names = this.definitions.map((definition) => definition.name).join(', ');
    return {
      text: `Error: no tool ${textLiteral(String(name))}. There are ${names}`,
      isError: true,
    };
  }

  /** For the Messages API of Anthropic. */
  anthropic(): AnthropicTools {
    return anthropicTools(this);
  }

  /** For the Responses API of OpenAI. */
  openai(): OpenAITools {
    return openaiTools(this);
  }

  /** For the Chat Completions API of OpenAI, and for the many that speak it. */
  openaiChat(): OpenAIChatTools {
    return openaiChatTools(this);
  }

  /**
   * For `generateText({ tools, abortSignal })` of the Vercel AI SDK. That one gives what a tool throws
   * to the model: so call `rethrow()` when it returns; it throws the first fault, if there was any.
   */
  aiSdk(): AiSdkTools {
    return aiSdkTools(this);
  }

  /**
   * Handlers for `tools/list` and `tools/call` of an MCP server. MCP has no tool call id: the key is
   * `_meta["rewind.codes/id"]`, else session and request id.
   */
  mcp(): McpTools {
    return mcpTools(this);
  }
}

function waitOf(args: object, otherwise: number): number {
  const seconds = (args as { wait_seconds?: number }).wait_seconds;
  return seconds === undefined ? otherwise : seconds * 1000;
}

function readSettings(options: AgentToolsOptions): AgentSettings {
  const { labels = {}, tools = agentToolNames, outputLimit, logLines, ttl, wait } = options;
  const checked = labelsSchema.safeParse(labels);
  if (!checked.success) {
    throw invalid('labels', checked.error.issues[0]?.message ?? 'must be pairs of texts');
  }
  const stranger = tools.find((name) => !agentToolNames.includes(name));
  if (stranger !== undefined)
    throw invalid('tools', `there is no ${textLiteral(String(stranger))}`);
  return {
    labels: Object.freeze({ ...labels }),
    tools,
    waitMs: readDuration(wait ?? '20s', 'wait', 0, 60_000),
    ttl: formatDuration(
      ttl === undefined ? defaults.ttlMs : readDuration(ttl, 'ttl', 1_000, limits.ttlMs),
    ),
    outputLimit: readCount(outputLimit ?? OUTPUT_BYTES, 'outputLimit', 1, OUTPUT_BYTES),
    logLines: readCount(logLines ?? 20, 'logLines', 0, 1_000),
  };
}
