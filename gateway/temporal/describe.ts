import type { temporal } from '@temporalio/proto';
import { hasLabels, type Labels } from '../../sdk/protocol';
import type { RunMemo } from '../../workflows/contract';
import type { Scope } from '../engine';
import { notFound } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { guard } from './faults';
import { fromMemo, fromPayload } from './payloads';

type ExecutionInfo = temporal.api.workflow.v1.IWorkflowExecutionInfo;
export type Description = temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse;

/** What Temporal says of a run without waking it. */
export interface RunFacts {
  id: string;
  /** Temporal's run id, needed to page through one history. */
  status: temporal.api.enums.v1.WorkflowExecutionStatus;
  startedAt: Date;
  closedAt?: Date;
  /** Search attribute `RewindState`. */
  indexedState?: string;
  memo: RunMemo;
}

export function factsOf(info: ExecutionInfo | null | undefined): RunFacts | undefined {
  const id = info?.execution?.workflowId;
  if (!info || !id) return undefined;
  const memo = fromMemo(info.memo) as unknown as RunMemo;
  if (typeof memo.namespace !== 'string') return undefined;
  const state = fromPayload<string | string[]>(
    info.searchAttributes?.indexedFields?.['RewindState'],
  );
  const indexedState = Array.isArray(state) ? state[0] : state;
  return {
    id,
    status: info.status ?? 0,
    startedAt: toDate(info.startTime) ?? new Date(0),
    ...(info.closeTime ? { closedAt: toDate(info.closeTime) ?? new Date(0) } : {}),
    ...(indexedState ? { indexedState } : {}),
    memo,
  };
}

export function toDate(
  time: temporal.api.workflow.v1.IWorkflowExecutionInfo['startTime'],
): Date | undefined {
  if (!time) return undefined;
  return new Date(Number(time.seconds ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1e6));
}

export function inScope(scope: Scope, owner: { namespace: string; labels: Labels }): boolean {
  return (
    (scope.namespace === undefined || scope.namespace === owner.namespace) &&
    hasLabels(owner.labels, scope.labels)
  );
}

/** A run that the scope may see; a foreign one is as missing as one that never was. */
export async function describeRun(
  access: Access,
  scope: Scope,
  id: string,
): Promise<{ facts: RunFacts; description: Description }> {
  const description = await guard(
    within(access, CALL_MS, () =>
      access.connection.workflowService.describeWorkflowExecution({
        namespace: access.namespace,
        execution: { workflowId: id },
      }),
    ),
    () => notFound('run', id),
  );
  const facts = factsOf(description.workflowExecutionInfo);
  if (!facts || !inScope(scope, facts.memo)) throw notFound('run', id);
  return { facts, description };
}
