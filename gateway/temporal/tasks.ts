import {
  answerQuery,
  answerSignal,
  callQuery,
  failureTypes,
  type Answer,
  type AnswerError,
  type DeliveryResult,
} from '../../workflows/contract';
import type { Heartbeat, Scope, TaskError } from '../engine';
import { alreadyAnswered, claimLost, runEnded } from '../errors';
import { CALL_MS, within, type Access } from './access';
import { guard, isNotFound } from './faults';
import { digest } from './identity';
import { toPayloads } from './payloads';
import {
  openClaim,
  openDeferral,
  sealDeferral,
  type ClaimToken,
  type DeferralToken,
} from './tokens';

/** What became of an answer is asked for at most so long; it is durable already. */
const VERDICT_MS = 2000;

/** What workers, and holders of deferral tokens, say of calls. */
export class Tasks {
  constructor(private readonly access: Access) {}

  async heartbeat(scope: Scope, tasks: { token: string; begun: boolean }[]): Promise<Heartbeat[]> {
    return Promise.all(tasks.map((task) => this.beat(scope, task)));
  }

  async complete(scope: Scope, token: string, value: unknown): Promise<void> {
    const claim = await openClaim(this.access.sealer, scope, token);
    if (claim) return this.respondCompleted(claim, { value });
    return this.answer(scope, token, { ok: true }, value);
  }

  async fail(scope: Scope, token: string, error: TaskError): Promise<void> {
    const claim = await openClaim(this.access.sealer, scope, token);
    if (claim) {
      return this.respondFailed(taskToken(claim), failureTypes.hostTool, error.message, error);
    }
    const [{ message }, data] = failureDetails(error);
    return this.answer(scope, token, { ok: false, error: { message } }, data);
  }

  /** Makes the claim a deferral. When the reply is lost, the repeat gives a token of the same worth. */
  async defer(
    scope: Scope,
    token: string,
    timeoutMs?: number,
  ): Promise<{ token: string; deadline: string }> {
    const claim = await openClaim(this.access.sealer, scope, token);
    if (!claim) throw claimLost();
    const until = Math.min(
      Date.parse(claim.expiresAt),
      timeoutMs === undefined ? Infinity : Date.now() + timeoutMs,
    );
    let deadline = new Date(until).toISOString();
    try {
      await this.respondCompleted(claim, { deferred: { until: deadline } });
    } catch (error) {
      const repeated = await this.deferredUntil(claim);
      if (repeated === undefined) throw error;
      deadline = repeated;
    }
    const { run, seq, namespace, labels } = claim;
    return {
      token: await sealDeferral(this.access.sealer, { run, seq, namespace, labels }),
      deadline,
    };
  }

  async release(scope: Scope, token: string): Promise<void> {
    const claim = await openClaim(this.access.sealer, scope, token);
    if (!claim) throw claimLost();
    await this.releaseTask(taskToken(claim));
  }

  /** Gives a delivery back that no handler saw. */
  async releaseTask(token: Uint8Array): Promise<void> {
    await this.respondFailed(token, failureTypes.released, 'released, not begun');
  }

  private async beat(
    scope: Scope,
    { token, begun }: { token: string; begun: boolean },
  ): Promise<Heartbeat> {
    const claim = await openClaim(this.access.sealer, scope, token);
    if (!claim) return 'lost';
    try {
      const { cancelRequested } = await within(this.access, CALL_MS, () =>
        this.access.connection.workflowService.recordActivityTaskHeartbeat({
          namespace: this.access.namespace,
          taskToken: taskToken(claim),
          details: toPayloads({ begun }),
        }),
      );
      return cancelRequested ? 'lost' : 'ok';
    } catch (error) {
      return isNotFound(error) ? 'lost' : 'retry';
    }
  }

  private async respondCompleted(claim: ClaimToken, result: DeliveryResult): Promise<void> {
    const kept = await this.access.values.write(result);
    await guard(
      within(this.access, CALL_MS, () =>
        this.access.connection.workflowService.respondActivityTaskCompleted({
          namespace: this.access.namespace,
          taskToken: taskToken(claim),
          result: kept,
        }),
      ),
      claimLost,
    );
  }

  private async respondFailed(
    token: Uint8Array,
    type: string,
    message: string,
    error?: TaskError,
  ): Promise<void> {
    const details = error && (await this.access.values.write(...failureDetails(error)));
    await guard(
      within(this.access, CALL_MS, () =>
        this.access.connection.workflowService.respondActivityTaskFailed({
          namespace: this.access.namespace,
          taskToken: token,
          failure: {
            message,
            applicationFailureInfo: {
              type,
              nonRetryable: true,
              ...(details ? { details } : {}),
            },
          },
        }),
      ),
      claimLost,
    );
  }

  private async deferredUntil(claim: ClaimToken): Promise<string | undefined> {
    try {
      const call = await within(this.access, VERDICT_MS, () =>
        this.access.client.workflow.getHandle(claim.run).query(callQuery, claim.seq),
      );
      return call?.state === 'deferred' ? call.until : undefined;
    } catch {
      return undefined;
    }
  }

  /** Durable once the signal is accepted; then the run is asked whether this answer was the first. */
  private async answer(
    scope: Scope,
    token: string,
    result: Answer['result'],
    body: unknown,
  ): Promise<void> {
    const deferral = await openDeferral(this.access.sealer, scope, token);
    if (!deferral) throw claimLost();
    const { run, seq } = deferral;
    const hash = digest(body === undefined ? [result] : [result, body], 32);
    try {
      await within(this.access, CALL_MS, () =>
        this.access.client.workflow
          .getHandle(run)
          .signal(answerSignal, { seq, hash, result }, body),
      );
    } catch (error) {
      // The answer may have been taken, its reply lost, and the run have ended by it.
      if (isNotFound(error) && (await this.verdict(deferral, hash)) === 'taken') return;
      await guard(Promise.reject(error as Error), () => runEnded(run));
    }
    if ((await this.verdict(deferral, hash)) === 'conflict') throw alreadyAnswered();
  }

  private async verdict({ run, seq }: DeferralToken, hash: string): Promise<string | undefined> {
    try {
      return await within(this.access, VERDICT_MS, () =>
        this.access.client.workflow.getHandle(run).query(answerQuery, { seq, hash }),
      );
    } catch {
      // No script worker to say it: the answer is kept, and taken when one is back.
      return undefined;
    }
  }
}

/** The data of an error has a payload of its own, so that the rest can be read without it. */
function failureDetails({ data, ...error }: TaskError): [AnswerError, unknown?] {
  return data === undefined ? [error] : [error, data];
}

function taskToken(claim: ClaimToken): Uint8Array {
  return Buffer.from(claim.task, 'base64');
}
