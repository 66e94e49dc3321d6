'use strict';
// Runs in each workflow thread before anything else. Node leaves the stack of async ids as it was
// when a script is stopped for its time limit, finds it corrupted when the message handler returns,
// and ends the thread, and with it every run. An uncaught exception clears that stack; so do we.
const { Script } = require('node:vm');
const { clearAsyncIdStack } = require('internal/async_hooks');

const { runInContext } = Script.prototype;
Script.prototype.runInContext = function guarded(...args) {
  try {
    return runInContext.apply(this, args);
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') clearAsyncIdStack();
    throw error;
  }
};
