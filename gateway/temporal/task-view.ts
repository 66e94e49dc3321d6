import type { temporal } from '@temporalio/proto';
import type { Task } from '../../sdk/protocol';
import { DELIVERY_HEADER, type DeliveryHeader } from '../../workflows/contract';
import type { Access } from './access';
import { digest } from './identity';
import { fromPayload } from './payloads';
import { sealClaim } from './tokens';

/** A polled activity as a worker sees it; `undefined` where it is no delivery of ours. */
export async function taskOf(
  { sealer, values }: Access,
  polled: temporal.api.workflowservice.v1.IPollActivityTaskQueueResponse,
  taskToken: Uint8Array,
): Promise<Task | undefined> {
  const header = fromPayload<DeliveryHeader>(polled.header?.fields?.[DELIVERY_HEADER]);
  const runId = polled.workflowExecution?.workflowId;
  if (!header || !runId) return undefined;
  const { seq, attempt, policy, leaseMs, namespace, labels, traceparent, expiresAt } = header;
  return {
    token: await sealClaim(sealer, {
      task: Buffer.from(taskToken).toString('base64'),
      run: runId,
      seq,
      namespace,
      labels,
      expiresAt,
    }),
    tool: polled.activityType?.name ?? '',
    input: (await values.read(polled.input)) ?? null,
    runId,
    seq,
    attempt,
    policy,
    leaseMs,
    namespace,
    labels,
    traceparent: callSpan(traceparent, runId, seq),
    credentials: {},
  };
}

/** The call's own span, below the run's trace: the same on every attempt. */
function callSpan(traceparent: string, runId: string, seq: number): string {
  const [version, trace, , flags] = traceparent.split('-');
  return [version, trace, digest(['span', runId, seq], 16), flags].join('-');
}
