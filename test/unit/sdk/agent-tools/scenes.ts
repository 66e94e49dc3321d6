import type { Diagnostic, Run, TraceEntry } from '@rewind.codes/sdk';
import { refusal } from '../support/fake-server';
import { callWith, RUN, runWith, TOOLSET, worldOf, type World } from './world';

/** One call of a model, and the text that it gets. */
export interface Scene {
  title: string;
  name: string;
  input: unknown;
  isError?: boolean;
  world: () => World;
}

const input = { email: 'ada@example.com' };
const log = 'looking up ada@example.com\n';
const send = { to: 'ada@example.com', template: 'invoice' };
const script = 'const { email } = input; …';

const calls: TraceEntry[] = [
  callWith({ seq: 1, line: 3, endedAt: '2026-12-01T09:00:00.100Z' }),
  callWith({
    seq: 2,
    line: 4,
    tool: 'ask_user',
    input: { question: 'Invoice Ada?' },
    deferred: true,
    endedAt: '2026-12-01T11:03:00.000Z',
  }),
  callWith({
    seq: 3,
    line: 6,
    tool: 'mail.send',
    input: send,
    state: 'failed',
    endedAt: '2026-12-01T09:01:01.000Z',
    error: { name: 'ToolError', message: 'lost', code: 'outcome_unknown', outcomeUnknown: true },
  }),
];

const waiting: Partial<Run> = {
  state: 'waiting',
  createdAt: '2026-12-01T09:00:00.000Z',
  calls: 6,
  waitingFor: [
    {
      kind: 'tool',
      seq: 2,
      line: 4,
      tool: 'ask_user',
      state: 'deferred',
      attempt: 1,
      since: '2026-12-01T09:00:01Z',
      served: true,
      deadline: '2026-12-04T09:00:00Z',
    },
    {
      kind: 'tool',
      seq: 3,
      line: 6,
      tool: 'crm.export',
      state: 'claimed',
      attempt: 1,
      since: '2026-12-01T09:00:02Z',
      served: true,
    },
    {
      kind: 'tool',
      seq: 4,
      line: 6,
      tool: 'crm.export',
      state: 'pending',
      attempt: 1,
      since: '2026-12-01T09:00:00Z',
      served: false,
    },
    { kind: 'approval', approval: 'apr_01k4zt6m_5', seq: 5, line: 6, tool: 'mail.send' },
    { kind: 'signal', name: 'go', line: 8, deadline: '2026-12-03T09:00:00Z' },
    { kind: 'run', seq: 6, line: 9, workflow: 'weekly_report', run: 'run_01k4zv11' },
    { kind: 'sleep', line: 9, until: '2026-12-02T09:00:00Z' },
  ],
  unreadSignals: [{ name: 'goo', count: 1 }],
};

const frame = [
  '  1 | const { email } = input;',
  '  2 | console.log("looking up", email);',
  '> 3 | const customer = await crm.find_customer({ email });',
  '    |                        ^',
  '  4 | const answer = await ask_user({ question: `Invoice ${customer.name}?` });',
  '  5 | if (!answer.yes) return { sent: false };',
].join('\n');

const diagnostics: Diagnostic[] = [
  {
    line: 3,
    column: 44,
    code: 'TS2561',
    message:
      "Object literal may only specify known properties, but 'mail' does not exist in type '{ email: string; }'. Did you mean to write 'email'?",
    frame: [
      '  2 | console.log("looking up", email);',
      '> 3 | const customer = await crm.find_customer({ mail: email });',
      '    |                                            ^^^^',
    ].join('\n'),
    declared: 'crm.find_customer(input: { email: string }): Promise<{ id: string; name: string }>',
  },
  {
    line: 4,
    column: 20,
    code: 'TS2304',
    message: "Cannot find name 'fetch'.",
    frame: [
      '> 4 | const page = await fetch("https://example.com");',
      '    |                    ^^^^^',
    ].join('\n'),
    hint: 'scripts have no network. Call a tool instead.',
  },
];

const declarations = [
  '/** Find a customer by email. */',
  'crm.find_customer(input: { email: string }): Promise<{ id: string; name: string }>;',
].join('\n');

const toolset = {
  id: TOOLSET,
  tools: {
    'crm.find_customer': { description: 'Find a customer by email.', input: {} },
    ask_user: { description: 'Ask the end user.', input: {}, policy: 'at_most_once' },
    'mail.send': { description: 'Send a mail.', input: {}, approval: true },
  },
  workflows: [{ name: 'weekly_report', version: 2 }],
  createdAt: '2026-12-01T09:00:00Z',
};

const ended =
  (fields: Partial<Run>, more = {}, options = {}) =>
  () =>
    worldOf(runWith({ endedAt: '2026-12-01T11:04:00.000Z', calls: 3, ...fields }), more, options);

function withReplies(replies: Record<string, () => Record<string, unknown> | Response>): World {
  const world = worldOf(runWith({}));
  world.server.on(`/v1/toolsets/${TOOLSET}`, () => toolset);
  for (const [path, reply] of Object.entries(replies)) world.server.on(path, reply);
  return world;
}

const long = Array.from({ length: 40 }, (_, n) => `- customer ${n}`).join('\n');

/** Every outcome, as docs/agent-tools.md shows it. */
export const scenes: Scene[] = [
  {
    title: 'Completed',
    name: 'run_script',
    input: { script, input },
    world: ended({ output: { sent: true, id: 'm_812' } }, { log }),
  },
  {
    title: 'Completed, with a longer output',
    name: 'run_script',
    input: { script },
    world: ended({ output: long }, {}, { outputLimit: 40 }),
  },
  {
    title: 'the last part of it',
    name: 'get_run',
    input: { run_id: RUN, offset: 520 },
    world: ended({ output: long }, {}, { outputLimit: 40 }),
  },
  {
    title: 'Waiting',
    name: 'get_run',
    input: { run_id: RUN },
    world: () =>
      worldOf(runWith(waiting), {
        log,
        calls: [callWith({ seq: 5, line: 6, tool: 'mail.send', input: send })],
      }),
  },
  {
    title: 'Failed',
    name: 'run_script',
    input: { script, input: { email: 'bob@example.com' } },
    isError: true,
    world: ended(
      {
        state: 'failed',
        calls: 1,
        endedAt: '2026-12-01T09:00:00.400Z',
        error: {
          name: 'ToolError',
          code: 'failed',
          message: 'no customer bob@example.com',
          data: { code: 'not_found' },
          line: 3,
          column: 24,
          frame,
          seq: 1,
        },
      },
      {
        log: 'looking up bob@example.com\n',
        calls: [callWith({ state: 'failed', input: { email: 'bob@example.com' } })],
      },
    ),
  },
  {
    title: 'Failed, with an unknown outcome',
    name: 'get_run',
    input: { run_id: RUN },
    world: ended(
      {
        state: 'failed',
        error: {
          name: 'ToolError',
          code: 'outcome_unknown',
          message: 'the worker was lost while it ran the call',
          outcomeUnknown: true,
          line: 6,
          column: 12,
          seq: 3,
        },
      },
      { calls },
    ),
  },
  {
    title: 'Failed, by a limit',
    name: 'run_script',
    input: { script: 'for (;;) {}' },
    isError: true,
    world: ended({
      state: 'failed',
      calls: 0,
      endedAt: '2026-12-01T09:00:00.800Z',
      error: {
        name: 'LimitError',
        code: 'limit',
        limit: 'cpu',
        message: 'stopped after about 0.7 s of computing without a wait',
        line: 2,
        column: 1,
        frame: '> 2 | for (;;) {}\n    | ^',
      },
    }),
  },
  {
    title: 'canceled',
    name: 'get_run',
    input: { run_id: RUN },
    world: ended({
      state: 'canceled',
      calls: 0,
      endedAt: '2026-12-01T09:02:00Z',
      error: { name: 'Error', message: 'canceled: wrong customer' },
    }),
  },
  {
    title: 'expired',
    name: 'get_run',
    input: { run_id: RUN },
    world: ended({ state: 'expired', calls: 0 }),
  },
  {
    title: 'Refused',
    name: 'run_script',
    input: { script },
    isError: true,
    world: () => withReplies({ '/v1/runs': () => refusal(422, 'script_refused', { diagnostics }) }),
  },
  {
    title: 'check_script',
    name: 'check_script',
    input: { script },
    world: () =>
      withReplies({
        '/v1/scripts/check': () => ({
          ok: true,
          diagnostics: [],
          tools: ['crm.find_customer', 'ask_user', 'mail.send'],
        }),
      }),
  },
  {
    title: 'test_script',
    name: 'test_script',
    input: { script, input, mocks: [{ tool: 'mail.send', result: { id: 'm_1' } }] },
    world: () =>
      withReplies({
        '/v1/scripts/test': () => ({
          state: 'completed',
          output: { sent: true, id: 'm_1' },
          calls: [callWith({ tool: 'mail.send', input: send, line: 6 })],
          log,
        }),
      }),
  },
  {
    title: 'test_script, without a mock',
    name: 'test_script',
    input: { script, input },
    isError: true,
    world: () =>
      withReplies({
        '/v1/scripts/test': () => ({
          state: 'failed',
          calls: [],
          log,
          missingMock: { seq: 1, line: 3, tool: 'crm.find_customer', input },
        }),
      }),
  },
  {
    title: 'retry_run',
    name: 'retry_run',
    input: { run_id: RUN, script },
    world: () => {
      const { server, agent } = worldOf(runWith({ state: 'failed' }));
      const next = runWith({
        id: 'run_01k4zv22',
        retryOf: RUN,
        calls: 3,
        fromRecord: 2,
        liveFrom: { seq: 3, line: 6 },
        endedAt: '2026-12-01T09:00:03Z',
        output: { sent: true },
      });
      server
        .on(`/v1/runs/${RUN}/retry`, () => ({ ...next }))
        .on(`/v1/runs/${next.id}/log`, () => ({ text: '', offset: 0, total: 0 }));
      return { server, agent };
    },
  },
  {
    title: 'signal_run',
    name: 'signal_run',
    input: { run_id: RUN, name: 'go' },
    world: () => worldOf(runWith(waiting)),
  },
  {
    title: 'cancel_run',
    name: 'cancel_run',
    input: { run_id: RUN },
    world: () => worldOf(runWith(waiting)),
  },
  {
    title: 'save_workflow',
    name: 'save_workflow',
    input: { name: 'weekly_report', description: 'The report of a week.', script },
    world: () =>
      withReplies({
        '/v1/workflows': () => ({ name: 'weekly_report', version: 2 }),
        [`/v1/toolsets/${TOOLSET}/derive`]: () => ({ ...toolset, id: 'ts_87654321' }),
      }),
  },
  {
    title: 'list_runs',
    name: 'list_runs',
    input: {},
    world: () =>
      withReplies({
        '/v1/runs': () => ({
          data: [
            runWith({ ...waiting, calls: 1, waitingFor: waiting.waitingFor?.slice(0, 1) ?? [] }),
            runWith({ id: 'run_01k4zs00', calls: 3, endedAt: '2026-11-30T10:11:12Z' }),
          ],
          nextCursor: 'c_8f',
        }),
      }),
  },
  {
    title: 'describe_tools',
    name: 'describe_tools',
    input: { names: ['crm'] },
    world: () =>
      withReplies({ [`/v1/toolsets/${TOOLSET}/declarations`]: () => ({ declarations }) }),
  },
  {
    title: 'list_workflows',
    name: 'list_workflows',
    input: {},
    world: () =>
      withReplies({
        '/v1/workflows': () => ({ data: [{ name: 'weekly_report', version: 2 }] }),
        [`/v1/toolsets/${TOOLSET}/declarations`]: () => ({
          declarations:
            '/** The report of a week. */\nworkflows.weekly_report(input: { week: number }): Promise<any>;',
        }),
      }),
  },
  {
    title: 'bad arguments',
    name: 'signal_run',
    input: { run_id: RUN },
    isError: true,
    world: () => worldOf(runWith({})),
  },
  {
    title: 'a run that is not there, or not the agent’s',
    name: 'get_run',
    input: { run_id: 'run_01k4zzzz' },
    isError: true,
    world: () => withReplies({ '/v1/runs/run_01k4zzzz': () => refusal(404, 'not_found') }),
  },
  {
    title: 'a used tool call id',
    name: 'run_script',
    input: { script },
    isError: true,
    world: () =>
      withReplies({ '/v1/runs': () => refusal(409, 'idempotency_conflict', { runId: RUN }) }),
  },
];
