import { temporal } from '@temporalio/proto';
import { hasLabels, type Labels, type Run, type RunState } from '../../sdk/protocol';
import { SCRIPT_RUN } from '../../workflows/contract';
import type { ListRange, Scope } from '../engine';
import { invalidRequest, notFound } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { factsOf, inScope, type RunFacts } from './describe';
import { guard } from './faults';
import { digest, labelHash, namespaceIndex } from './identity';
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
  const query = clauses.join(' AND ');
  const page = await readPage(access, query, params);
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
    ...(page.nextPageToken?.length ? { nextCursor: cursorOf(page.nextPageToken, query) } : {}),
  };
}

/** With a sum over the list that it belongs to: Temporal meets a token of none with silence. */
function cursorOf(pageToken: Uint8Array, query: string): string {
  const token = Buffer.from(pageToken).toString('base64url');
  return `${digest(['cursor', query, token], 8)}${token}`;
}

function openCursor(cursor: string, query: string): Buffer {
  const token = Buffer.from(cursor.slice(8), 'base64url');
  if (cursorOf(token, query) !== cursor) {
    throw invalidRequest('cursor: is none that this list gave', 'cursor');
  }
  return token;
}

async function readPage(access: Access, query: string, { limit, cursor }: ListRange) {
  const nextPageToken = cursor === undefined ? undefined : openCursor(cursor, query);
  return guard(
    within(access, CALL_MS, () =>
      access.connection.workflowService.listWorkflowExecutions({
        namespace: access.namespace,
        query,
        pageSize: limit,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    ),
    () => notFound('run', ''),
  );
}

async function withTrueState(access: Access, facts: RunFacts): Promise<Run> {
  const row = rowOf(facts);
  if (facts.status !== WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED) return row;
  const ending = await endingOf(access, facts.id);
  return ending ? { ...row, state: ending.state } : row;
}
