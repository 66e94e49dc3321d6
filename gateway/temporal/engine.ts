import { Client, type Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { renderOutput } from '../../sdk/protocol';
import type { Store } from '../../store/types';
import { logQuery, runSignal, type RunEnd } from '../../workflows/contract';
import type { Engine } from '../engine';
import { invalidRequest, runEnded, unavailable } from '../errors';
import type { Sealer } from '../sealer';
import { CALL_MS, within, type Access } from './access';
import { ask } from './ask';
import { Claims } from './claims';
import { DeadGroups } from './dead-groups';
import { describeRun, type RunFacts } from './describe';
import { guard } from './faults';
import { waitForClose } from './history';
import { Values, largeValues } from './large-values';
import { listRuns } from './list-runs';
import { endsPolls } from './open-polls';
import { ParkedRuns } from './parked-runs';
import { endingOf, hasEnded, runOf, stateOf } from './run-view';
import { waitForChange } from './run-wait';
import { startRun } from './start-run';
import { terminateRun } from './stuck';
import { Sweep } from './sweep';
import { Tasks } from './tasks';
import { textPage } from './text-page';
import { readTrace } from './trace';
import { Workers } from './workers';

/** A run that was cancelled ends by itself so fast, or is ended. */
const CANCEL_MS = 1500;

export interface EngineOptions {
  connection: Connection;
  pollConnection: Connection;
  /** Temporal's namespace. */
  namespace: string;
  store: Store;
  sealer: Sealer;
  taskMs: number;
  logger: Logger;
}

/** The engine of the gateway's routes: runs and calls, as Temporal has them. */
export function createEngine(options: EngineOptions): Engine & { close(): Promise<void> } {
  const { connection, namespace, logger } = options;
  const externalStorage = largeValues(options.store);
  const access: Access = {
    ...options,
    client: new Client({ connection, namespace, dataConverter: { externalStorage } }),
    values: new Values(externalStorage),
    endsPolls: endsPolls(connection, namespace),
  };
  const parked = new ParkedRuns(access, logger);
  const workers = new Workers(access, parked);
  const sweep = new Sweep(access, logger);
  const tasks = new Tasks(access);
  const claims = new Claims(access, workers, (token) => tasks.releaseTask(token), logger);
  const deadGroups = new DeadGroups(access, claims, logger);

  return {
    ready: async () => {
      await guard(
        within(access, 3000, () => connection.workflowService.describeNamespace({ namespace })),
        () => unavailable(`the engine has no namespace ${namespace}`),
      );
    },
    startRun: (params) => startRun(access, params),
    run: async (scope, id, wait = {}) => {
      const { facts, description, closing } = await waitForChange(access, scope, id, {
        waitMs: wait.waitMs ?? 0,
        signal: wait.signal,
      });
      return runOf(access, facts, description, closing);
    },
    listRuns: (scope, params) => listRuns(access, scope, params),
    output: async (scope, id, page) => {
      const { facts } = await describeRun(access, scope, id);
      const ending = hasEnded(stateOf(facts)) ? await endingOf(access, id) : undefined;
      if (ending?.end?.outputJson === undefined) {
        throw invalidRequest(`run ${id} has no output: it is ${stateOf(facts)}`);
      }
      return textPage(renderOutput(JSON.parse(ending.end.outputJson)), page);
    },
    log: async (scope, id, page) => {
      const { facts } = await describeRun(access, scope, id);
      return textPage(await logOf(access, facts), page);
    },
    trace: async (scope, id, page) => {
      const { description } = await describeRun(access, scope, id);
      return readTrace(access, id, description, page);
    },
    signal: async (scope, id, signal) => {
      const { facts } = await describeRun(access, scope, id);
      if (hasEnded(stateOf(facts))) throw runEnded(id);
      await guard(
        within(access, CALL_MS, () =>
          access.client.workflow.getHandle(id).signal(runSignal, signal),
        ),
        () => runEnded(id),
      );
    },
    cancel: async (scope, id, reason) => {
      const { facts } = await describeRun(access, scope, id);
      if (hasEnded(stateOf(facts))) throw runEnded(id);
      await cancelRun(access, id, reason ?? '');
      const ended = await describeRun(access, scope, id);
      return runOf(access, ended.facts, ended.description);
    },
    claim: (claim) => claims.claim(claim),
    heartbeat: async (scope, worker, beats) => {
      claims.heard(worker);
      await workers.touch(worker);
      return tasks.heartbeat(scope, beats);
    },
    defer: (scope, token, timeoutMs) => {
      claims.answered(token);
      return tasks.defer(scope, token, timeoutMs);
    },
    release: (scope, token) => {
      claims.answered(token);
      return tasks.release(scope, token);
    },
    complete: (scope, token, result) => {
      claims.answered(token);
      return tasks.complete(scope, token, result);
    },
    fail: (scope, token, error) => {
      claims.answered(token);
      return tasks.fail(scope, token, error);
    },
    leave: async (scope, worker) => {
      await claims.leave(scope, worker);
      void deadGroups.look();
    },
    close: () => {
      deadGroups.close();
      parked.close();
      sweep.close();
      return claims.close();
    },
  };
}

/** The log, from the closing event, else from the run itself. */
async function logOf(access: Access, facts: RunFacts): Promise<string> {
  const ending = hasEnded(stateOf(facts)) ? await endingOf(access, facts.id) : undefined;
  if (ending?.end) return logText(ending.end.log);
  // Ended from outside, perhaps because it blocks its thread: it is not run again for its log.
  if (ending?.ended === 'from outside') return '';
  const log = await guard(ask<RunEnd['log']>(access, facts.id, logQuery, 2000), () =>
    unavailable('no script worker is there to read the log from; try again'),
  );
  return logText(log);
}

function logText({ text, droppedLines }: RunEnd['log']): string {
  return droppedLines > 0 ? `… ${droppedLines} earlier lines were dropped\n${text}` : text;
}

/** Asks the run to end; ends it from outside where it cannot. */
async function cancelRun(access: Access, id: string, reason: string): Promise<void> {
  await guard(
    within(access, CALL_MS, () =>
      access.connection.workflowService.requestCancelWorkflowExecution({
        namespace: access.namespace,
        workflowExecution: { workflowId: id },
        reason,
      }),
    ),
    () => runEnded(id),
  );
  try {
    await waitForClose(access, id, AbortSignal.timeout(CANCEL_MS));
    return;
  } catch {
    // Not ended in time.
  }
  const message = reason ? `canceled: ${reason}` : 'canceled';
  await terminateRun(access, id, { state: 'canceled', error: { name: 'Error', message } });
}
