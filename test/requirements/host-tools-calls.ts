import type { Requirement } from './requirement';

/** Host tools: failures, answers that take days, the options of a worker. */
export const hostToolsCalls: readonly Requirement[] = [
  {
    id: 'HT-37',
    text: 'A thrown `HostToolError` fails the call: in the script the call rejects with a `ToolError` that has the same `message`',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides',
      'test/unit/sdk/worker-calls.test.ts: HT-37, HT-38, HT-45: a HostToolError is the answer, with its data, and is not reported',
    ],
  },
  {
    id: 'HT-38',
    text: 'The `ToolError` has the same `data` as the `HostToolError`',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides',
      'test/unit/sdk/worker-calls.test.ts: HT-37, HT-38, HT-45: a HostToolError is the answer, with its data, and is not reported',
    ],
  },
  {
    id: 'HT-39',
    text: 'The script decides: it may catch the `ToolError` and go on; uncaught, it fails the run',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides',
    ],
  },
  {
    id: 'HT-40',
    text: 'With `retryable: true`, a tool under the `retry` policy is called again later: same call, same idempotency key, higher `ctx.attempt`, after a delay',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-40, HT-24, HT-26: a retryable failure is called again later, with the same key and a higher attempt',
      'test/unit/sdk/worker-calls.test.ts: HT-40: retryable and retryAfter go with it',
      'test/unit/workflows/outcome.test.ts: HT-40: a retryable failure is called again after a growing delay, or the one it asks for',
    ],
  },
  {
    id: 'HT-41',
    text: '`retryable: true` on an `at_most_once` tool has no such effect: the call fails',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError',
      'test/unit/workflows/outcome.test.ts: HT-41: retryable has no effect under at_most_once',
    ],
  },
  {
    id: 'HT-42',
    text: 'Without `retryable: true` a `HostToolError` is final on its first attempt, under `retry` too',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides',
      'test/unit/workflows/outcome.test.ts: HT-42, HT-45: a failure without retryable is final on the first attempt',
    ],
  },
  {
    id: 'HT-43',
    text: "Any other exception fails the call; the `ToolError`'s message is `Name: message`, e.g. `TypeError: x is not a function`",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError',
      'test/unit/sdk/worker-calls.test.ts: HT-43, HT-44: %s fails the call as Name: message and is reported',
    ],
  },
  {
    id: 'HT-44',
    text: 'Any other exception is also reported to `onError`',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError',
      'test/unit/sdk/worker-calls.test.ts: HT-43, HT-44: %s fails the call as Name: message and is reported',
    ],
  },
  {
    id: 'HT-45',
    text: 'Any other exception is final, under `retry` too; a `HostToolError` is not reported to `onError`',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError',
      'test/unit/sdk/worker-calls.test.ts: HT-37, HT-38, HT-45: a HostToolError is the answer, with its data, and is not reported',
      'test/unit/workflows/outcome.test.ts: HT-42, HT-45: a failure without retryable is final on the first attempt',
    ],
  },
  {
    id: 'HT-46',
    text: 'In a script, `import { ToolError } from "rewind"` gives the class of these errors: `error instanceof ToolError` holds',
    shownBy: [
      'test/documents.test.ts: HT-46, HT-47: the script of the document type-checks as it stands',
      'test/unit/check/language.test.ts: HT-46: import { … } from "rewind" gives the same things as the scope',
    ],
  },
  {
    id: 'HT-47',
    text: "The page's script type-checks: `error.data` needs a narrowing (`(error.data as { code?: string })?.code`) and carries the handler's `data.code`",
    shownBy: [
      'test/documents.test.ts: HT-46, HT-47: the script of the document type-checks as it stands',
      'test/documents.test.ts: HT-47: without the narrowing of error.data it is refused',
      'test/unit/check/language.test.ts: HT-47: the document’s script type-checks, and error.data needs a narrowing',
    ],
  },
  {
    id: 'HT-48',
    text: 'A worker that dies in mid-call loses its claim once its heartbeats have stopped for 60 seconds',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-48, HT-50, HT-24: a worker that is killed loses its claim when its heartbeats stop; another gets the call with the same key',
      'test/integration/host-tools/leases.test.ts: HT-48, HT-55: the lease is 60 seconds and the policy retry where a tool says nothing',
    ],
  },
  {
    id: 'HT-49',
    text: '60 seconds is a default: the time can be set',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-06, HT-49: a handler that takes several leases keeps its claim, and is entered once',
    ],
  },
  {
    id: 'HT-50',
    text: 'Under `retry` a call with a lost claim is given to another worker with the same idempotency key',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-48, HT-50, HT-24: a worker that is killed loses its claim when its heartbeats stop; another gets the call with the same key',
      'test/integration/host-tools/leases.test.ts: HT-31, HT-50, FC-06: a handler that blocks its own heartbeats loses the claim; another attempt is given the call',
      'test/unit/workflows/outcome.test.ts: HT-50, HT-51: under retry, a lost claim is another attempt, up to the fifth',
    ],
  },
  {
    id: 'HT-51',
    text: 'Under `retry` a call has at most 5 attempts; when the fifth is lost, the script gets a `ToolError`',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-51: a call that stays retryable has five attempts, then a ToolError',
      'test/unit/workflows/outcome.test.ts: HT-50, HT-51: under retry, a lost claim is another attempt, up to the fifth',
    ],
  },
  {
    id: 'HT-52',
    text: 'Under `at_most_once` a call whose claim is lost after its handler began fails: the `ToolError` has `outcomeUnknown: true`',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-52, HT-53: an at_most_once call whose worker is killed is an unknown outcome, and never entered again',
      'test/unit/workflows/outcome.test.ts: HT-52: under at_most_once, a claim lost after its handler began is an unknown outcome',
    ],
  },
  {
    id: 'HT-53',
    text: 'Under `at_most_once` no handler is ever entered twice for one call, whatever dies',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-52, HT-53: an at_most_once call whose worker is killed is an unknown outcome, and never entered again',
      'test/unit/sdk/worker-leases.test.ts: HT-53: the handler starts only after the first heartbeat was accepted',
      'test/unit/sdk/worker-leases.test.ts: HT-53: the first heartbeat is repeated until it is accepted, and only then the handler starts',
      'test/unit/sdk/worker-leases.test.ts: HT-53: the handler is not entered where the first heartbeat %s',
    ],
  },
  {
    id: 'HT-54',
    text: '`outcomeUnknown` is not `true` on errors whose outcome is known (a thrown `HostToolError`, a refusal)',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-37 to HT-39, HT-42, HT-54: a HostToolError is the tool’s failure, and the script decides',
    ],
  },
  {
    id: 'HT-55',
    text: 'The policy, `retry` or `at_most_once`, is declared for each tool',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-48, HT-55: the lease is 60 seconds and the policy retry where a tool says nothing',
      'test/unit/sdk/toolsets.test.ts: HT-55: sends policy, approval, lease and timeout, and leaves out what is not given',
    ],
  },
  {
    id: 'HT-56',
    text: "`await ctx.defer()` makes the call's state `deferred` and gives an object with `token` (a string)",
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token',
      'test/unit/sdk/worker-calls.test.ts: HT-36, HT-56, HT-60, HT-63: defer gives token and deadline, and the return value is no answer',
    ],
  },
  {
    id: 'HT-57',
    text: "A deferred call needs no heartbeat: it outlives the lease, and the worker's death; no other attempt is made",
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token',
      'test/unit/sdk/worker-leases.test.ts: HT-57: a deferral ends the heartbeats, is repeated when its reply is lost, and survives a lost claim',
    ],
  },
  {
    id: 'HT-58',
    text: 'It is answered by its token from any process, also long after the handler and its worker are gone',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-68, HT-58: examples/host-tools runs as written, its deferred answer given by another process',
      'test/integration/host-tools/deferrals.test.ts: HT-58, HT-59, HT-64: the answer may come through any client after the worker and the script worker are gone',
    ],
  },
  {
    id: 'HT-59',
    text: 'The run waits durably meanwhile: restarts of every server process, and of Temporal, change nothing',
    shownBy: [
      'test/e2e/start.test.ts: HT-59: runs that wait, for a signal or a deferred answer, survive a kill -9 of everything and end after the next start',
      'test/load/restart-all.test.ts: HT-59: 200 waiting runs with 50 calls behind each survive a kill -9 of all servers, end when signalled, and hold up no fresh run',
      'test/integration/host-tools/deferrals.test.ts: HT-58, HT-59, HT-64: the answer may come through any client after the worker and the script worker are gone',
    ],
  },
  {
    id: 'HT-60',
    text: '`ctx.defer({ timeout: "3d" })` sets how long the answer may take, as a duration text',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-60, HT-62: a deferral that is not answered in time fails the call, once and finally',
      'test/unit/sdk/worker-calls.test.ts: HT-36, HT-56, HT-60, HT-63: defer gives token and deadline, and the return value is no answer',
    ],
  },
  {
    id: 'HT-61',
    text: "The timeout is bounded by the run's TTL: a longer one ends with the run's",
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-61: no deferral lasts longer than its run',
    ],
  },
  {
    id: 'HT-62',
    text: 'A deferral that is not answered within its timeout fails the call, once and finally; without a `timeout` the TTL is the bound',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-60, HT-62: a deferral that is not answered in time fails the call, once and finally',
    ],
  },
  {
    id: 'HT-63',
    text: "After `ctx.defer()` the handler's return value is not an answer: whatever it returns, the call stays `deferred`",
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token',
      'test/unit/sdk/worker-calls.test.ts: HT-36, HT-56, HT-60, HT-63: defer gives token and deadline, and the return value is no answer',
    ],
  },
  {
    id: 'HT-64',
    text: 'Whoever holds the token answers: the answer is tied to no worker, claim or process',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-58, HT-59, HT-64: the answer may come through any client after the worker and the script worker are gone',
    ],
  },
  {
    id: 'HT-65',
    text: '`await rewind.tasks.complete(token, value)` completes the call: the script gets `value`',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token',
      'test/unit/sdk/resources.test.ts: HT-65, HT-66: complete and fail send the token in the body',
    ],
  },
  {
    id: 'HT-66',
    text: '`await rewind.tasks.fail(token, { message })` fails it: the script gets a `ToolError` with that message',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-66: a deferred call is failed by its token',
      'test/unit/sdk/resources.test.ts: HT-65, HT-66: complete and fail send the token in the body',
    ],
  },
  {
    id: 'HT-67',
    text: 'A call is answered once: the first answer counts, a later one changes nothing and is told so (while a script worker is up to say it)',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-67: the first answer counts; an equal one is fine, another is told that it lost',
    ],
  },
  {
    id: 'HT-68',
    text: '`examples/host-tools` is a complete program that runs',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-68, HT-58: examples/host-tools runs as written, its deferred answer given by another process',
    ],
  },
  {
    id: 'HT-69',
    text: 'The worker claims only calls of the tools in `tools`; a call of another tool of the same toolset stays for the workers that have it',
    shownBy: [
      'test/integration/host-tools/routing.test.ts: HT-69, HT-70, HT-22: no worker is handed a call that it does not accept',
      'test/integration/host-tools/workers.test.ts: HT-69: a worker claims only calls of its tools; the others stay for workers that have them',
      'test/unit/sdk/worker-claims.test.ts: HT-12, HT-69, HT-74: a claim names the tools, the toolset, the wait, the worker and its free slots',
    ],
  },
  {
    id: 'HT-70',
    text: 'With `toolset`, the worker claims only the calls of runs of this toolset',
    shownBy: [
      'test/integration/host-tools/routing.test.ts: HT-69, HT-70, HT-22: no worker is handed a call that it does not accept',
      'test/integration/host-tools/workers.test.ts: HT-12, HT-70, HT-71: with toolset, calls of its runs only; without, of every toolset, also a later one',
    ],
  },
  {
    id: 'HT-71',
    text: 'Without `toolset`, it serves every toolset that declares these tools, also one that is created later',
    shownBy: [
      'test/integration/host-tools/routing.test.ts: HT-71: one worker without toolset serves a thousand toolsets, as one group',
      'test/integration/host-tools/workers.test.ts: HT-12, HT-70, HT-71: with toolset, calls of its runs only; without, of every toolset, also a later one',
      'test/unit/sdk/worker-claims.test.ts: HT-71, HT-74: without a toolset none is named, and the wait is 30 s',
    ],
  },
  {
    id: 'HT-72',
    text: '`concurrency`, default 10: at most so many handlers run at once',
    shownBy: [
      'test/integration/host-tools/two-gateways.test.ts: HT-72, HT-73: thirty tools, concurrency 1, two gateways: no worker has two calls, none is given back',
      'test/integration/host-tools/workers.test.ts: HT-72: at most so many handlers run at once, ten by default',
      'test/unit/sdk/worker-claims.test.ts: HT-72, HT-73: open claims and running handlers are never more than concurrency',
      'test/unit/sdk/worker-claims.test.ts: HT-72: concurrency is 10 by default',
    ],
  },
  {
    id: 'HT-73',
    text: 'The worker takes no more calls than it can run: with `concurrency: 1`, queued calls lose no lease while they wait',
    shownBy: [
      'test/integration/host-tools/two-gateways.test.ts: HT-72, HT-73: thirty tools, concurrency 1, two gateways: no worker has two calls, none is given back',
      'test/integration/host-tools/workers.test.ts: HT-73: with concurrency 1 queued calls lose no lease while they wait',
      'test/unit/sdk/worker-claims.test.ts: HT-72, HT-73: open claims and running handlers are never more than concurrency',
    ],
  },
  {
    id: 'HT-74',
    text: '`pollWait`, default `"30s"`: one claim request waits so long for a call, then comes back empty and is followed by the next',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-04, HT-11, HT-74: an idle worker claims at once and holds its requests open for pollWait',
      'test/unit/sdk/worker-claims.test.ts: HT-12, HT-69, HT-74: a claim names the tools, the toolset, the wait, the worker and its free slots',
      'test/unit/sdk/worker-claims.test.ts: HT-71, HT-74: without a toolset none is named, and the wait is 30 s',
    ],
  },
  {
    id: 'HT-75',
    text: '`stop()` of an idle worker takes at most about `pollWait`',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call',
      'test/integration/host-tools/workers.test.ts: HT-75, HT-76: an idle worker stops within pollWait, by stop() or by its signal',
      'test/unit/sdk/worker-stop.test.ts: HT-17, HT-75, FC-09: of an idle worker starts no claims, asks the server to end those in flight, and resolves',
    ],
  },
  {
    id: 'HT-76',
    text: '`signal`: when it is aborted the worker stops as by `stop()`',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-75, HT-76: an idle worker stops within pollWait, by stop() or by its signal',
      'test/unit/sdk/worker-stop.test.ts: HT-76: the signal option stops the worker as stop() does',
    ],
  },
  {
    id: 'HT-77',
    text: '`onError`, default `console.error`: it is called with each failure of a claim, a heartbeat, an answer or a handler',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-41, HT-43 to HT-45, HT-77: other failures are final, and told to onError',
      'test/unit/sdk/worker-claims.test.ts: HT-77, HT-79: are reported and repeated, one at a time, and the worker goes on',
      'test/unit/sdk/worker-claims.test.ts: HT-77: onError is console.error by default',
      'test/unit/sdk/worker-leases.test.ts: HT-33, HT-77, HT-79: one that fails is reported and repeated soon; the signal is not aborted',
      'test/unit/sdk/worker-leases.test.ts: HT-77, HT-79: an answer that fails is reported and sent again, the claim kept by heartbeats meanwhile',
    ],
  },
  {
    id: 'HT-78',
    text: 'A refused key (401 or 403) stops the worker and `worker.done` rejects',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-78: a refused key stops the worker, and done rejects',
      'test/unit/sdk/worker-claims.test.ts: HT-78: a key refused with %i stops the worker: done rejects, onError hears it once',
      'test/unit/sdk/worker-claims.test.ts: HT-78: a refused key lets running handlers finish and answer before done rejects',
      'test/unit/sdk/worker-claims.test.ts: HT-78: nobody has to look at done: a refusal is no unhandled rejection',
      'test/unit/sdk/worker-leases.test.ts: HT-78: a key refused for a heartbeat stops the worker too',
      'test/unit/sdk/worker-leases.test.ts: HT-78: a key refused for an answer stops the worker',
    ],
  },
  {
    id: 'HT-79',
    text: 'Any other failure (no connection, timeout, 429, 5xx …) is reported to `onError` and retried; the worker goes on',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-79: any other failure is reported and retried, and the worker goes on',
      'test/unit/sdk/worker-claims.test.ts: HT-77, HT-79: are reported and repeated, one at a time, and the worker goes on',
      'test/unit/sdk/worker-leases.test.ts: HT-33, HT-77, HT-79: one that fails is reported and repeated soon; the signal is not aborted',
      'test/unit/sdk/worker-leases.test.ts: HT-77, HT-79: an answer that fails is reported and sent again, the claim kept by heartbeats meanwhile',
    ],
  },
  {
    id: 'HT-80',
    text: "A worker that holds an end user's token claims only the calls of that end user's runs",
    shownBy: 'later',
  },
  {
    id: 'HT-81',
    text: '`worker.done` is a promise that resolves when the worker has stopped without a refusal',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call',
    ],
  },
];
