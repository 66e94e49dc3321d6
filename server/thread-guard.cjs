'use strict';
// Runs in each workflow thread before anything else. All of it concerns how Temporal's worker enters
// the workflow context, and was measured with a replay of a thousand calls.
const { Script } = require('node:vm');
const { promiseHooks } = require('node:v8');
const { clearAsyncIdStack } = require('internal/async_hooks');

// Each promise of a workflow would cost a stack trace, put through source maps, for Temporal's query
// `__stack_trace`: a third of the time. A script's own stack is inside its engine anyway. Node makes
// the hooks of AsyncLocalStorage by the same function, with `before` and `after`.
const { createHook } = promiseHooks;
promiseHooks.createHook = (hooks) => (hooks.before ? createHook(hooks) : () => undefined);

// A time limit costs a thread for each entry. Scripts run in these functions alone, or in the jobs
// that follow from them; the other entries only look around and collect.
const runsScripts = new Set(['initRuntime', 'initialize', 'activate']);

const { runInContext } = Script.prototype;
Script.prototype.runInContext = function guarded(context, options) {
  const called = context?.__temporal_args?.[1];
  const limited = options?.timeout === undefined || !called || runsScripts.has(called);
  try {
    return runInContext.call(this, context, limited ? options : { ...options, timeout: undefined });
  } catch (error) {
    // Node leaves the stack of async ids as it was when a script is stopped for its time limit, finds
    // it corrupted when the message handler returns, and ends the thread, and with it every run. An
    // uncaught exception clears that stack; so do we.
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') clearAsyncIdStack();
    throw error;
  }
};
