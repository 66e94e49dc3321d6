import type { Requirement } from './requirement';

/** Host tools: declaring, the worker, the context of a handler. */
export const hostToolsWorker: readonly Requirement[] = [
  {
    id: 'HT-01',
    text: "A script calls a host tool as it calls any tool: by its declared name, `await crm.find_customer({ email })`, with the handler's result as the value of the `await`",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-01, HT-05, HT-07, HT-13: a script calls tools by their declared names and gets what their handlers give',
    ],
  },
  {
    id: 'HT-02',
    text: 'A host tool is declared in a toolset. A script whose toolset does not declare the tool cannot call it',
    shownBy: [
      'test/unit/check/language.test.ts: HT-02: a tool that the toolset does not declare cannot be called',
    ],
  },
  {
    id: 'HT-03',
    text: 'Declaring needs no worker: a call of a declared tool that no worker serves waits, it does not fail; a worker started later executes it',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-03, FC-27: a call that no worker serves waits and says so, and is executed when one comes',
    ],
  },
  {
    id: 'HT-04',
    text: 'The worker gets its calls by long poll: an idle worker holds a claim request open rather than asking in a tight loop',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-04, HT-11, HT-74: an idle worker claims at once and holds its requests open for pollWait',
      'test/unit/sdk/worker-claims.test.ts: HT-04: an idle worker holds five claims open and asks again when one comes back empty',
      'test/unit/sdk/worker-claims.test.ts: HT-04: empty answers that come at once do not become a tight loop',
    ],
  },
  {
    id: 'HT-05',
    text: "For each call the worker runs the handler registered under that tool's name, with the call's arguments and the context",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-01, HT-05, HT-07, HT-13: a script calls tools by their declared names and gets what their handlers give',
      'test/unit/sdk/worker-calls.test.ts: HT-05, HT-07, HT-13: the handler of the tool gets the arguments, its result is the answer',
      'test/unit/sdk/worker-leases.test.ts: HT-05: under retry it starts at once, whatever becomes of the heartbeat',
    ],
  },
  {
    id: 'HT-06',
    text: 'While a handler runs the worker heartbeats by itself: a handler that takes several leases and never touches `ctx` keeps its claim, is entered once, and its result counts',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-06, HT-49: a handler that takes several leases keeps its claim, and is entered once',
      'test/unit/sdk/worker-leases.test.ts: HT-06: leave by themselves while a handler runs; a handler of several leases keeps its claim',
    ],
  },
  {
    id: 'HT-07',
    text: "The worker answers with the handler's result; the script receives an equal JSON value",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-01, HT-05, HT-07, HT-13: a script calls tools by their declared names and gets what their handlers give',
      'test/unit/sdk/worker-calls.test.ts: HT-05, HT-07, HT-13: the handler of the tool gets the arguments, its result is the answer',
    ],
  },
  {
    id: 'HT-08',
    text: 'All connections go from the worker to Rewind. The worker opens no listening socket; the server never connects to it',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-08, HT-18, HT-20, FC-09: SIGTERM, even twice, lets the handlers finish; then the process exits by itself, having listened on nothing',
    ],
  },
  {
    id: 'HT-09',
    text: '`import { HostToolError, Rewind } from "@rewind.codes/sdk"` works',
    shownBy: [
      'test/documents.test.ts: HT-09, HT-14: the samples of the document compile under strict against the SDK',
      'test/package/package.test.ts: FC-46, HT-09: ES modules import it by name and run a worker',
    ],
  },
  {
    id: 'HT-10',
    text: '`new Rewind()` without arguments is a complete client (its settings come from the environment)',
    shownBy: [
      'test/unit/sdk/options.test.ts: HT-10: takes its key and address from the environment, a line break at the end of the key ignored',
    ],
  },
  {
    id: 'HT-11',
    text: '`rewind.worker({ … })` returns the worker synchronously, and the worker claims from then on: there is no start call',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-04, HT-11, HT-74: an idle worker claims at once and holds its requests open for pollWait',
      'test/unit/sdk/worker-claims.test.ts: HT-11: the worker is there at once and claims from the next microtask on, without a start call',
    ],
  },
  {
    id: 'HT-12',
    text: 'The option `toolset` takes `toolset.id` of the toolset object',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-12, HT-70, HT-71: with toolset, calls of its runs only; without, of every toolset, also a later one',
      'test/unit/sdk/worker-claims.test.ts: HT-12, HT-69, HT-74: a claim names the tools, the toolset, the wait, the worker and its free slots',
    ],
  },
  {
    id: 'HT-13',
    text: '`tools` maps declared names, dots included (`"crm.find_customer"`), to handlers `(input, ctx) => result`, asynchronous or not',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-01, HT-05, HT-07, HT-13: a script calls tools by their declared names and gets what their handlers give',
      'test/unit/sdk/worker-calls.test.ts: HT-05, HT-07, HT-13: the handler of the tool gets the arguments, its result is the answer',
    ],
  },
  {
    id: 'HT-14',
    text: 'The two samples of the page compile under TypeScript `strict`: a handler may narrow its input (`{ email }: { email: string }`) and `ctx` gets its type from the context',
    shownBy: [
      'test/documents.test.ts: HT-09, HT-14: the samples of the document compile under strict against the SDK',
      'test/package/package.test.ts: FC-46, HT-14: TypeScript nodenext strict compiles the samples of the documents, and what it emits runs',
    ],
  },
  {
    id: 'HT-15',
    text: '`ctx.signal` is an `AbortSignal` that can be passed on to `fetch` and the like',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-15: ctx.signal can be passed on to fetch, which ends with the run',
    ],
  },
  {
    id: 'HT-16',
    text: '`new HostToolError(message, { data })`',
    shownBy: [
      'test/unit/sdk/errors.test.ts: HT-16: takes message and data; it is not retryable unless it says so',
    ],
  },
  {
    id: 'HT-17',
    text: '`worker.stop()` starts no new claim request and does not cut those in flight: it lets them finish',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call',
      'test/unit/sdk/worker-stop.test.ts: HT-17, HT-75, FC-09: of an idle worker starts no claims, asks the server to end those in flight, and resolves',
      'test/unit/sdk/worker-stop.test.ts: HT-17: claims in flight are waited for where the server does not end them',
    ],
  },
  {
    id: 'HT-18',
    text: '`stop()` then waits for the running handlers; their answers count as always',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-08, HT-18, HT-20, FC-09: SIGTERM, even twice, lets the handlers finish; then the process exits by itself, having listened on nothing',
      'test/integration/host-tools/workers.test.ts: HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call',
      'test/unit/sdk/worker-stop.test.ts: HT-18, HT-20, FC-09: waits for handlers and answers, and may be called again meanwhile',
      'test/unit/sdk/worker-stop.test.ts: HT-18, HT-20, FC-09: SIGTERM twice: it answers what it has and then exits by itself',
    ],
  },
  {
    id: 'HT-19',
    text: 'A call that a claim request in flight brings during `stop()` is not lost: it is executed to its end, or given back at once (no lost lease, no attempt used up)',
    shownBy: [
      'test/integration/host-tools/workers.test.ts: HT-17 to HT-19, HT-75, HT-81, FC-09: stop() lets claims and handlers finish, and loses no call',
      'test/unit/sdk/worker-stop.test.ts: HT-19, FC-09: a call that a claim in flight brings during stop is executed to its end',
    ],
  },
  {
    id: 'HT-20',
    text: '`stop()` fits a SIGTERM handler: it may be called again while stopping, its promise resolves when all is done, and afterwards nothing of the worker keeps the process alive: it exits by itself',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-08, HT-18, HT-20, FC-09: SIGTERM, even twice, lets the handlers finish; then the process exits by itself, having listened on nothing',
      'test/unit/sdk/worker-stop.test.ts: HT-18, HT-20, FC-09: waits for handlers and answers, and may be called again meanwhile',
      'test/unit/sdk/worker-stop.test.ts: HT-18, HT-20, FC-09: SIGTERM twice: it answers what it has and then exits by itself',
    ],
  },
  {
    id: 'HT-21',
    text: '`ctx.namespace` is the end user the run acts for',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-22',
    text: "One worker with a key serves the calls of every end user's runs, each with its own `ctx.namespace`",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/integration/host-tools/routing.test.ts: HT-69, HT-70, HT-22: no worker is handed a call that it does not accept',
      'test/integration/host-tools/workers.test.ts: HT-22: a worker of one end user claims only the calls of that user’s runs',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-23',
    text: '`ctx.idempotencyKey` is exactly `{run_id}/{seq}`, that is `` `${ctx.runId}/${ctx.seq}` ``',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-24',
    text: '`ctx.idempotencyKey` is the same on every attempt of one call, also in another worker process',
    shownBy: [
      'test/e2e/host-tools.test.ts: HT-48, HT-50, HT-24: a worker that is killed loses its claim when its heartbeats stop; another gets the call with the same key',
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/integration/host-tools/calls.test.ts: HT-40, HT-24, HT-26: a retryable failure is called again later, with the same key and a higher attempt',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-25',
    text: '`ctx.attempt` is 1 on the first attempt',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-26',
    text: '`ctx.attempt` is above 1 only where an earlier delivery may have begun: one that surely did not (released; `at_most_once` and never acknowledged) does not raise it, and one that a handler saw does',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-40, HT-24, HT-26: a retryable failure is called again later, with the same key and a higher attempt',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
      'test/unit/workflows/outcome.test.ts: HT-26: under %s, a delivery that surely did not begin is repeated as the same attempt',
      'test/unit/workflows/outcome.test.ts: HT-26: under at_most_once, a claim lost before its handler began is delivered again as the same attempt',
    ],
  },
  {
    id: 'HT-27',
    text: "`ctx.runId` is the run's id, as the other interfaces (runs, agent tools) use it",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-28',
    text: "`ctx.seq` is the call's position in the run: unique in it, in the order in which the script made its calls",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-29',
    text: "`ctx.labels` are the run's labels",
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-30',
    text: '`ctx.signal` is aborted when the run has ended (completed, failed, cancelled, expired) while the handler runs',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-30, HT-32, HT-33, FC-20: the signal is aborted when the run has ended, and the result is dropped',
      'test/unit/sdk/worker-leases.test.ts: HT-30, HT-32, FC-20: the server says lost: the signal aborts with a reason, the result is dropped in silence',
    ],
  },
  {
    id: 'HT-31',
    text: '`ctx.signal` is aborted when the claim expired and another worker took the call (under `at_most_once` nobody takes it: the claim is lost all the same)',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-31, HT-50, FC-06: a handler that blocks its own heartbeats loses the claim; another attempt is given the call',
      'test/unit/sdk/worker-leases.test.ts: HT-31: without an accepted heartbeat the lease ends, counted from when the last one was sent',
    ],
  },
  {
    id: 'HT-32',
    text: "The result of a handler whose claim is lost is dropped: neither the script nor the call's later attempt sees it",
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-30, HT-32, HT-33, FC-20: the signal is aborted when the run has ended, and the result is dropped',
      'test/unit/sdk/worker-leases.test.ts: HT-30, HT-32, FC-20: the server says lost: the signal aborts with a reason, the result is dropped in silence',
      'test/unit/sdk/worker-leases.test.ts: HT-32, FC-20: 409 %s is no fault: nothing is reported',
    ],
  },
  {
    id: 'HT-33',
    text: '`ctx.signal` is not aborted for anything else: not by `stop()`, not by one failed heartbeat within the lease',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-30, HT-32, HT-33, FC-20: the signal is aborted when the run has ended, and the result is dropped',
      'test/unit/sdk/worker-leases.test.ts: HT-33, HT-77, HT-79: one that fails is reported and repeated soon; the signal is not aborted',
      'test/unit/sdk/worker-leases.test.ts: HT-33: stop() does not abort the signal',
    ],
  },
  {
    id: 'HT-34',
    text: '`ctx.traceparent` is a valid W3C `traceparent`; its parent id is the span of this tool call',
    shownBy: [
      'test/integration/host-tools/calls.test.ts: HT-21 to HT-25, HT-27 to HT-29, HT-34: the context tells whom the run acts for, which call it is, and its trace',
      'test/unit/sdk/worker-calls.test.ts: HT-21 to HT-29, HT-34: the context says which call of which run it is, for whom',
    ],
  },
  {
    id: 'HT-35',
    text: '`ctx.heartbeat()` sends a heartbeat now (a request leaves at once, beside the automatic ones)',
    shownBy: [
      'test/integration/host-tools/leases.test.ts: HT-35: ctx.heartbeat() sends a heartbeat at once',
      'test/unit/sdk/worker-leases.test.ts: HT-35: ctx.heartbeat() sends one now, beside the others, and resolves when it is accepted',
    ],
  },
  {
    id: 'HT-36',
    text: '`ctx.defer()` turns the call into one that is answered later by a token',
    shownBy: [
      'test/integration/host-tools/deferrals.test.ts: HT-36, HT-56, HT-57, HT-63, HT-65: a deferred call waits without heartbeats and is completed by its token',
      'test/unit/sdk/worker-calls.test.ts: HT-36, HT-56, HT-60, HT-63: defer gives token and deadline, and the return value is no answer',
    ],
  },
];
