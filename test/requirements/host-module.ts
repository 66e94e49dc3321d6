import type { Requirement } from './requirement';

/** Host tools of an agent in the same process. */
export const hostModule: readonly Requirement[] = [
  {
    id: 'HN-01',
    text: 'A `HostTool` is defined and run by the host; the model is offered it with its JSON Schema',
    shownBy: 'later',
  },
  {
    id: 'HN-02',
    text: 'Each `HostTool` in `config.tools` becomes one `FunctionTool`',
    shownBy: 'later',
  },
  {
    id: 'HN-03',
    text: '… with parallel calls: two calls made together are both inside `call` at the same time',
    shownBy: 'later',
  },
  {
    id: 'HN-04',
    text: 'The model sees the tool directly (it is in the list of tools for the model) on the server backend',
    shownBy: 'later',
  },
  { id: 'HN-05', text: '… and on the local backend', shownBy: 'later' },
  {
    id: 'HN-06',
    text: 'The tool can be called inside Code Mode (from a script) on the server backend',
    shownBy: 'later',
  },
  { id: 'HN-07', text: '… and on the local backend', shownBy: 'later' },
  {
    id: 'HN-08',
    text: '`RuntimeOptions.tools.call` runs each call, direct or from a script: exactly one invocation for each call',
    shownBy: 'later',
  },
  {
    id: 'HN-09',
    text: "The call's receipt is kept, in the same place and form as any other tool's",
    shownBy: 'later',
  },
  {
    id: 'HN-10',
    text: "`AgentConfiguration`, `HostTool` and `RuntimeOptions` are exported types; the page's import from `'nanocode-wasm'` resolves in this repository",
    shownBy: 'later',
  },
  {
    id: 'HN-11',
    text: "`Pick<AgentConfiguration, 'tools'>` accepts `{ tools: [lookup] }`",
    shownBy: 'later',
  },
  {
    id: 'HN-12',
    text: "`RuntimeOptions['tools']` accepts the page's three objects: `call` with two, three or one parameters",
    shownBy: 'later',
  },
  {
    id: 'HN-13',
    text: 'The sample works: a call of `lookup` with `{ key: "abc" }` gives `{ name: "lookup", value: "ABC" }`',
    shownBy: 'later',
  },
  {
    id: 'HN-14',
    text: '`HostTool` is exactly `{ name: string; description: string; parameters: Record<string, unknown> }`, all three required',
    shownBy: 'later',
  },
  {
    id: 'HN-15',
    text: '`name` is what the model calls and what `call` receives, the same string',
    shownBy: 'later',
  },
  { id: 'HN-16', text: '`description` reaches the model unchanged', shownBy: 'later' },
  {
    id: 'HN-17',
    text: "`parameters` is the JSON Schema of the tool's input; it reaches the model as that",
    shownBy: 'later',
  },
  {
    id: 'HN-18',
    text: '`call(name: string, input: unknown, signal: AbortSignal): Promise<unknown>`',
    shownBy: 'later',
  },
  {
    id: 'HN-19',
    text: "`input` is the model's arguments (or, in a script, the argument of the call)",
    shownBy: 'later',
  },
  { id: 'HN-20', text: '`signal` aborts when the call is cancelled', shownBy: 'later' },
  { id: 'HN-21', text: 'The resolved value becomes the tool output', shownBy: 'later' },
  { id: 'HN-22', text: '`undefined` becomes `null`', shownBy: 'later' },
  {
    id: 'HN-23',
    text: 'A rejected promise becomes a tool error whose text the model reads',
    shownBy: 'later',
  },
  {
    id: 'HN-24',
    text: 'An error thrown by `call` (before it returns a promise) likewise',
    shownBy: 'later',
  },
  {
    id: 'HN-25',
    text: 'With `config.tools` and without `options.tools`, `open` succeeds and each call fails with `host tools are not configured`',
    shownBy: 'later',
  },
  {
    id: 'HN-26',
    text: 'If the tool set is refused, `open` throws (rejects with) a `HostFailure` whose `kind` is `configuration`',
    shownBy: 'later',
  },
  {
    id: 'HN-27',
    text: "The sample's message (`lookup is not available`) is the text of the tool error that the model reads",
    shownBy: 'later',
  },
  {
    id: 'HN-28',
    text: 'A failed call fails alone: later calls, and calls beside it, work',
    shownBy: 'later',
  },
];
