import type { Requirement } from './requirement';

/** Agent tools. */
export const agentTools: readonly Requirement[] = [
  {
    id: 'AT-01',
    text: "The SDK ships tool definitions and handlers: a harness passes the definitions to its model and the model's calls to the handlers, and writes neither",
    shownBy: [
      'test/integration/agent-tools/mcp.test.ts: AT-01, AT-32: over stdio; a call that the client names is one also for the next process',
      'test/integration/agent-tools/mcp.test.ts: AT-01, AT-27: over streamable HTTP; a fault is an error of the protocol, not a result',
      'test/integration/agent-tools/providers.test.ts: AT-01: with the client of Anthropic',
      'test/integration/agent-tools/providers.test.ts: AT-01: with the client of OpenAI, by Responses',
      'test/integration/agent-tools/providers.test.ts: AT-01: with the client of OpenAI, by Chat Completions',
      'test/integration/agent-tools/providers.test.ts: AT-01: with the AI SDK',
    ],
  },
  {
    id: 'AT-02',
    text: 'Besides `run_script` there is a tool to check a script (no tool is called, no run starts)',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-02: check_script has no effect, and tells which tools can be called',
    ],
  },
  {
    id: 'AT-03',
    text: '… a tool to test a script (no handler of the harness is called)',
    shownBy: 'later',
  },
  {
    id: 'AT-04',
    text: '… tools to follow runs (`get_run`, `list_runs`)',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-04, AT-15, AT-16: a run that waits tells its id and what it waits for, and a signal moves it on',
    ],
  },
  {
    id: 'AT-05',
    text: '… and tools to steer them (`signal_run`, `retry_run`, and one to cancel)',
    shownBy: 'later',
  },
  {
    id: 'AT-06',
    text: 'Agent tools can be taken from `rewind.namespace(user.id)`: the runs that the model starts belong to that end user',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-06, AT-11, AT-14, AT-30: a script that completes gives its output and its last log lines, as a run of the end user',
    ],
  },
  {
    id: 'AT-07',
    text: "… or from a client that holds the end user's token: likewise",
    shownBy: 'later',
  },
  {
    id: 'AT-08',
    text: "`examples/agent` holds complete programs, one for Anthropic's API",
    shownBy: [
      'test/e2e/agents.test.ts: AT-08: examples/agent/%s.ts runs as written: a refused script is mended, and the mail is sent once',
    ],
  },
  {
    id: 'AT-09',
    text: 'Every result is plain text',
    shownBy: [
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-09, AT-10: whatever tools, people and scripts wrote, no text of a run holds a line that is not ours, and all are bounded',
    ],
  },
  {
    id: 'AT-10',
    text: 'Every result is bounded, whatever the script, its tools or its logs produce',
    shownBy: [
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-09, AT-10: whatever tools, people and scripts wrote, no text of a run holds a line that is not ours, and all are bounded',
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-10: what the model itself gives and what a server says of it cannot forge a line either',
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-10: an output of 1 MiB that shows long stays within the bound, and is read to its end',
    ],
  },
  {
    id: 'AT-11',
    text: "Completed: the text holds the run's output, up to 256 KiB (262,144 bytes) of it",
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-06, AT-11, AT-14, AT-30: a script that completes gives its output and its last log lines, as a run of the end user',
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-11, AT-12, AT-13: the parts of an output join to exactly the output, whatever it holds',
    ],
  },
  {
    id: 'AT-12',
    text: 'Completed, longer output: the text holds the call that reads the rest: `get_run` with `offset`',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-12, AT-13: a long output is read to its end by the calls that the texts hold',
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-11, AT-12, AT-13: the parts of an output join to exactly the output, whatever it holds',
    ],
  },
  {
    id: 'AT-13',
    text: '`get_run` with that `offset` returns the output from there; following the calls to the end gives the whole output, nothing lost or doubled',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-12, AT-13: a long output is read to its end by the calls that the texts hold',
      'test/unit/sdk/agent-tools/hostile.test.ts: AT-11, AT-12, AT-13: the parts of an output join to exactly the output, whatever it holds',
    ],
  },
  {
    id: 'AT-14',
    text: 'Completed: the text holds the last log lines',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-06, AT-11, AT-14, AT-30: a script that completes gives its output and its last log lines, as a run of the end user',
    ],
  },
  {
    id: 'AT-15',
    text: "Waiting: the text holds the run's id",
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-04, AT-15, AT-16: a run that waits tells its id and what it waits for, and a signal moves it on',
    ],
  },
  {
    id: 'AT-16',
    text: 'Waiting: the text says what the run waits for; a signal (its name), an approval (its call) and a host tool (its name) are told apart',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-04, AT-15, AT-16: a run that waits tells its id and what it waits for, and a signal moves it on',
      'test/integration/agent-tools/agent-tools.test.ts: AT-16: a tool that nobody serves and an answer to come later are told apart',
      'test/unit/sdk/agent-tools/transcripts.test.ts: AT-16: a signal, an approval and a host tool are told apart',
    ],
  },
  {
    id: 'AT-17',
    text: 'Failed: the text holds the error, with its line and a code frame, both of the script as the model wrote it',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-17, AT-18, AT-19: a failed run shows the error with its frame, the call that failed and the trace',
    ],
  },
  {
    id: 'AT-18',
    text: 'Failed: the text names the call that failed, where one did',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-17, AT-18, AT-19: a failed run shows the error with its frame, the call that failed and the trace',
    ],
  },
  {
    id: 'AT-19',
    text: 'Failed: the text holds the trace up to the failure',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-17, AT-18, AT-19: a failed run shows the error with its frame, the call that failed and the trace',
    ],
  },
  {
    id: 'AT-20',
    text: "Refused: the text holds the type-checker's diagnostics, each with its code frame",
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-20, AT-21, AT-23: a refused script is a result that shows the problems, and nothing is run',
    ],
  },
  {
    id: 'AT-21',
    text: 'Refused: nothing was run: no run exists, no tool was called',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-20, AT-21, AT-23: a refused script is a result that shows the problems, and nothing is run',
    ],
  },
  {
    id: 'AT-22',
    text: 'A bad argument comes back as a result with `isError`, not as an exception',
    shownBy: [
      'test/integration/agent-tools/providers.test.ts: AT-22: arguments that are no JSON are a result, by the APIs that give text',
      'test/unit/sdk/agent-tools/faults.test.ts: AT-22: bad arguments, told as the model needs them',
      'test/unit/sdk/agent-tools/faults.test.ts: AT-22: a tool that is not there names those that are',
    ],
  },
  {
    id: 'AT-23',
    text: 'A refused script: likewise',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-20, AT-21, AT-23: a refused script is a result that shows the problems, and nothing is run',
    ],
  },
  {
    id: 'AT-24',
    text: 'A run that has ended (signalled, cancelled …): likewise',
    shownBy: ['test/unit/sdk/agent-tools/faults.test.ts: AT-24: a signal to a run that has ended'],
  },
  {
    id: 'AT-25',
    text: 'A quota reached: likewise',
    shownBy: ['test/unit/sdk/agent-tools/faults.test.ts: AT-25: a quota reached'],
  },
  {
    id: 'AT-26',
    text: 'An unreachable server is thrown',
    shownBy: [
      'test/unit/sdk/agent-tools/faults.test.ts: AT-26, AT-27, AT-28: no server, a 401 and a 5xx are thrown by every tool that asks one',
    ],
  },
  {
    id: 'AT-27',
    text: 'A 401 is thrown',
    shownBy: [
      'test/integration/agent-tools/mcp.test.ts: AT-01, AT-27: over streamable HTTP; a fault is an error of the protocol, not a result',
      'test/integration/agent-tools/providers.test.ts: AT-27: a refused key is thrown by every adapter',
      'test/unit/sdk/agent-tools/faults.test.ts: AT-26, AT-27, AT-28: no server, a 401 and a 5xx are thrown by every tool that asks one',
    ],
  },
  {
    id: 'AT-28',
    text: 'A 5xx is thrown',
    shownBy: [
      'test/unit/sdk/agent-tools/faults.test.ts: AT-26, AT-27, AT-28: no server, a 401 and a 5xx are thrown by every tool that asks one',
    ],
  },
  {
    id: 'AT-29',
    text: "The call through a key's client that names no namespace is thrown",
    shownBy: [
      "test/unit/sdk/agent-tools/faults.test.ts: AT-29: the call through a key's client that names no namespace is thrown, before any request",
    ],
  },
  {
    id: 'AT-30',
    text: '`result.run` holds the run that the call started or read',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-06, AT-11, AT-14, AT-30: a script that completes gives its output and its last log lines, as a run of the end user',
    ],
  },
  {
    id: 'AT-31',
    text: '`rewind.approvals.pending(result.run)` says which calls of that run wait for approval',
    shownBy: 'later',
  },
  {
    id: 'AT-32',
    text: "The model's tool call id becomes the idempotency key of `run_script`: handling the same tool call twice starts one run; both results tell of the same run",
    shownBy: [
      'test/integration/agent-tools/mcp.test.ts: AT-01, AT-32: over stdio; a call that the client names is one also for the next process',
      'test/integration/agent-tools/agent-tools.test.ts: AT-32, AT-36: one tool call handled twice, at once and after the end, starts one run; other labels get their own',
    ],
  },
  { id: 'AT-33', text: '… of `retry_run`: likewise, one new run', shownBy: 'later' },
  {
    id: 'AT-34',
    text: '… of `signal_run`: the run gets one signal',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-34: a signal handled twice reaches the script once',
    ],
  },
  {
    id: 'AT-35',
    text: 'This holds for a retry of the harness and for a replayed conversation: at the same time, in another process, after the run has moved on or ended',
    shownBy: 'later',
  },
  {
    id: 'AT-36',
    text: "The key is derived from the agent's labels and the id: two agents with different labels and an equal id get two runs",
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-32, AT-36: one tool call handled twice, at once and after the end, starts one run; other labels get their own',
      'test/unit/gateway/temporal/identity.test.ts: AT-36, AT-37: a key leads to one run for each end user and set of labels',
    ],
  },
  {
    id: 'AT-37',
    text: 'Two agents with equal labels (in any order of keys), for one end user, share the key',
    shownBy: [
      'test/unit/gateway/temporal/identity.test.ts: AT-36, AT-37: a key leads to one run for each end user and set of labels',
    ],
  },
  {
    id: 'AT-38',
    text: "The agent's `labels` are on every run that its model starts, retried ones included (and so in `ctx.labels`)",
    shownBy: 'later',
  },
  {
    id: 'AT-39',
    text: 'They filter `list_runs`: only runs with all of them are listed',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-39: the labels are on every run, and filter the list',
    ],
  },
  {
    id: 'AT-40',
    text: 'The tools that take a run id answer for a run without these labels exactly as for a run that does not exist',
    shownBy: [
      'test/integration/agent-tools/agent-tools.test.ts: AT-40, FC-41: a run of others answers as one that does not exist, in every tool',
    ],
  },
  {
    id: 'AT-41',
    text: 'With an API key limited to these labels the server enforces the scope too: no request with that key reads or changes a run without them',
    shownBy: 'later',
  },
  {
    id: 'AT-42',
    text: "With an end user's token that carries the labels: likewise",
    shownBy: 'later',
  },
  {
    id: 'AT-43',
    text: "`save_workflow` saves a workflow with the agent's toolset",
    shownBy: 'later',
  },
  {
    id: 'AT-44',
    text: 'It then derives a toolset that pins the workflow: scripts of that toolset can call it, and go on calling this version',
    shownBy: 'later',
  },
  {
    id: 'AT-45',
    text: 'Later calls of the same agent tools use the derived toolset',
    shownBy: 'later',
  },
  {
    id: 'AT-46',
    text: '`agentTools.toolset` is its id (before, the id that was given)',
    shownBy: 'later',
  },
  {
    id: 'AT-47',
    text: 'Agent tools created later with `toolset: <that id>` go on from there: the saved workflow can be called',
    shownBy: 'later',
  },
  {
    id: 'AT-48',
    text: 'The derived toolset has a new id; the first one is unchanged',
    shownBy: 'later',
  },
  {
    id: 'AT-49',
    text: "A worker started with `toolset: <first id>` does not claim the tasks of the derived toolset's runs",
    shownBy: 'later',
  },
  { id: 'AT-50', text: 'A worker started without `toolset` does', shownBy: 'later' },
  {
    id: 'AT-51',
    text: 'Credentials set on the first toolset are not set on the derived one; they can be set on it',
    shownBy: 'later',
  },
];
