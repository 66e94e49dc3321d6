import { temporal } from '@temporalio/proto';
import { hasLabels, type Labels, type Run, type RunState } from '../../sdk/protocol';
import { SCRIPT_RUN } from '../../workflows/contract';
import type { ListRange, Scope } from '../engine';
import { invalidRequest, notFound } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { factsOf, inScope, type RunFacts } from './describe';
import { guard, isInvalidArgument } from './faults';
import { labelHash, namespaceIndex } from './identity';
import { endingOf, rowOf } from './run-view';

const { WorkflowExecutionStatus } = temporal.api.enums.v1;

/** What the index can say of each state. Terminated runs tell their state only in their closing event. */
const stateQuery: Record<RunState, string> = {
  running: "ExecutionStatus = 'Running' AND RewindState = 'running'",
  waiting: "ExecutionStatus = 'Running' AND RewindState = 'waiting'",
  completed: "ExecutionStatus = 'Completed'",
  failed:
    "((ExecutionStatus = 'Failed' AND RewindState != 'expired') OR ExecutionStatus = 'Terminated')",
  canceled: "(ExecutionStatus = 'Canceled' OR ExecutionStatus = 'Terminated')",
  expired:
    "((ExecutionStatus = 'Failed' AND RewindState = 'expired') OR ExecutionStatus = 'TimedOut' OR ExecutionStatus = 'Terminated')",
};

/**
 * Runs of the scope, newest first within a page; Temporal lists open runs before closed ones. The
 * index narrows, the memo decides: labels and namespace are compared exactly.
 */
export async function listRuns(
  access: Access,
  scope: Scope,
  params: ListRange & { state?: RunState; labels?: Labels },
): Promise<{ data: Run[]; nextCursor?: string }> {
  const labels = { ...params.labels, ...scope.labels };
  if (params.labels && !hasLabels(labels, params.labels)) return { data: [] };
  const clauses = [`WorkflowType = '${SCRIPT_RUN}'`];
  if (scope.namespace !== undefined) {
    clauses.push(`RewindNamespace = '${namespaceIndex(scope.namespace)}'`);
  }
  for (const [key, value] of Object.entries(labels)) {
    clauses.push(`RewindLabels = '${labelHash(key, value)}'`);
  }
  if (params.state) clauses.push(stateQuery[params.state]);
  const page = await readPage(access, clauses.join(' AND '), params);
  const exact: Scope = { ...scope, labels };
  const rows: Run[] = [];
  for (const info of page.executions ?? []) {
    const facts = factsOf(info);
    if (!facts || !inScope(exact, facts.memo)) continue;
    const row = await withTrueState(access, facts);
    if (params.state === undefined || row.state === params.state) rows.push(row);
  }
  rows.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return {
    data: rows,
    ...(page.nextPageToken?.length
      ? { nextCursor: Buffer.from(page.nextPageToken).toString('base64url') }
      : {}),
  };
}

async function readPage(access: Access, query: string, { limit, cursor }: ListRange) {
  try {
    return await guard(
      within(access, CALL_MS, () =>
        access.connection.workflowService.listWorkflowExecutions({
          namespace: access.namespace,
          query,
          pageSize: limit,
          ...(cursor === undefined ? {} : { nextPageToken: Buffer.from(cursor, 'base64url') }),
        }),
      ),
      () => notFound('run', ''),
    );
  } catch (error) {
    if (cursor !== undefined && isInvalidArgument(error)) {
      throw invalidRequest('cursor: is none that a list gave', 'cursor');
    }
    throw error;
  }
}

async function withTrueState(access: Access, facts: RunFacts): Promise<Run> {
  const row = rowOf(facts);
  if (facts.status !== WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED) return row;
  const ending = await endingOf(access, facts.id);
  return ending ? { ...row, state: ending.state } : row;
}
