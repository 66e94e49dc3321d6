import type { AgentToolHandler } from '../agent';
import type { AgentToolName } from '../types';
import { cancelRun } from './cancel-run';
import { checkScript } from './check-script';
import { describeTools } from './describe-tools';
import { getRun } from './get-run';
import { listRuns } from './list-runs';
import { listWorkflows } from './list-workflows';
import { retryRun } from './retry-run';
import { runScript } from './run-script';
import { saveWorkflow } from './save-workflow';
import { signalRun } from './signal-run';
import { testScript } from './test-script';

/** One handler for each tool. */
export const handlers: { [Name in AgentToolName]: AgentToolHandler<Name> } = {
  run_script: runScript,
  check_script: checkScript,
  test_script: testScript,
  get_run: getRun,
  list_runs: listRuns,
  retry_run: retryRun,
  signal_run: signalRun,
  cancel_run: cancelRun,
  save_workflow: saveWorkflow,
  list_workflows: listWorkflows,
  describe_tools: describeTools,
};
