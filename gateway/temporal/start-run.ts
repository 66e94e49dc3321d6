import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import {
  SearchAttributeType,
  TypedSearchAttributes,
  defineSearchAttributeKey,
} from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { defaults, parseDuration, type Run, type ToolSpec } from '../../sdk/protocol';
import { routesFor } from '../../store/routes';
import {
  ENGINE,
  RUN_QUEUE,
  SCRIPT_RUN,
  type RunInput,
  type RunMemo,
  type RunProgram,
  type RunStart,
  type RunTool,
} from '../../workflows/contract';
import type { StartRun } from '../engine';
import { idempotencyConflict, notFound } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { describeRun } from './describe';
import { guard } from './faults';
import { digest, labelHash, namespaceIndex, runIdOf } from './identity';
import { rowOf, runOf } from './run-view';

const keys = {
  namespace: defineSearchAttributeKey('RewindNamespace', SearchAttributeType.KEYWORD),
  labels: defineSearchAttributeKey('RewindLabels', SearchAttributeType.KEYWORD_LIST),
  toolset: defineSearchAttributeKey('RewindToolset', SearchAttributeType.KEYWORD),
  state: defineSearchAttributeKey('RewindState', SearchAttributeType.KEYWORD),
};

/** The engine's last guard comes after the run's own timer. */
const GUARD_MS = 300_000;

/** Starts a run. An idempotency key leads to the run that it started first, or to a conflict. */
export async function startRun(access: Access, params: StartRun): Promise<Run> {
  const { namespace, labels, toolset } = params;
  const id = runIdOf(namespace, labels, params.idempotencyKey ?? randomUUID());
  const memo: RunMemo = {
    namespace,
    toolset: toolset.id,
    labels,
    ttlMs: params.ttlMs,
    requestHash: digest([params.script, inputOf(params)], 32),
  };
  const options = await startOptions(access, params, id, memo);
  try {
    await guard(
      within(access, CALL_MS, () => access.client.workflow.start(SCRIPT_RUN, options)),
      () => notFound('run', id),
    );
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return sameRun(access, id, memo);
    throw error;
  }
  return rowOf({ id, status: 1, startedAt: new Date(), memo });
}

/** As a value, so that another order of keys is no difference. */
function inputOf({ inputJson }: StartRun): [unknown] | [] {
  return inputJson === undefined ? [] : [JSON.parse(inputJson)];
}

async function sameRun(access: Access, id: string, memo: RunMemo): Promise<Run> {
  const { facts, description } = await describeRun(access, {}, id);
  if (facts.memo.requestHash !== memo.requestHash) throw idempotencyConflict(id);
  return runOf(access, facts, description);
}

async function startOptions(
  access: Access,
  params: StartRun,
  workflowId: string,
  memo: RunMemo,
): Promise<WorkflowStartOptions & { args: [RunStart, RunProgram, RunInput] }> {
  const { namespace, labels, toolset, ttlMs } = params;
  const tools = Object.keys(toolset.tools);
  const routedAt = Date.now();
  const routes = await routesFor(access.store, { toolset: toolset.id, namespace, labels, tools });
  const fairnessKey = digest(namespace, 16);
  const start: RunStart = {
    engine: ENGINE,
    namespace,
    labels,
    toolset: toolset.id,
    tools: Object.fromEntries(
      Object.entries(toolset.tools).map(([name, spec]) => [name, runTool(spec)]),
    ),
    workflows: [],
    ttlMs,
    traceparent: params.traceparent,
    fairnessKey,
    routes,
    routedAt,
  };
  const { script, code, map, inputJson } = params;
  return {
    workflowId,
    taskQueue: RUN_QUEUE,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowExecutionTimeout: ttlMs + GUARD_MS,
    workflowTaskTimeout: access.taskMs,
    args: [start, { script, code, map }, inputJson === undefined ? {} : { json: inputJson }],
    memo: { ...memo },
    priority: { fairnessKey },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: keys.namespace, value: namespaceIndex(namespace) },
      {
        key: keys.labels,
        value: Object.entries(labels).map(([key, value]) => labelHash(key, value)),
      },
      { key: keys.toolset, value: toolset.id },
      { key: keys.state, value: 'running' },
    ]),
  };
}

function runTool(spec: ToolSpec): RunTool {
  return {
    input: spec.input,
    ...(spec.output ? { output: spec.output } : {}),
    policy: spec.policy ?? defaults.policy,
    leaseMs: parseDuration(spec.lease) ?? defaults.leaseMs,
    ...(spec.timeout ? { timeoutMs: parseDuration(spec.timeout) ?? 0 } : {}),
  };
}
