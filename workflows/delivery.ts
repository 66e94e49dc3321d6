import { TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ActivityCancellationType,
  ApplicationFailure,
  TimeoutFailure,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import {
  GROUP_QUEUE_PREFIX,
  deliveryId,
  failureTypes,
  type AnswerError,
  type DeliveryHeader,
  type DeliveryResult,
} from './contract';
import type { Outcome } from './outcome';

export interface Delivery {
  /** Which delivery of the call, from 1. */
  number: number;
  tool: string;
  input: unknown;
  group: string;
  /** Milliseconds from claim to answer: the tool's timeout, else what is left of the run. */
  timeoutMs: number;
  fairnessKey: string;
  header: DeliveryHeader;
}

/** The second argument becomes the header (see interceptors.ts). */
type HostTool = (input: unknown, header: DeliveryHeader) => Promise<DeliveryResult>;

/** A call that no worker claims for so long is routed anew: heals whatever was lost on the way. */
const UNCLAIMED_MS = 3_600_000;

/**
 * Hands a call to a worker group, once, and tells how that ended. One activity is one delivery;
 * what comes next is the run's decision, never Temporal's.
 */
export async function deliver(delivery: Delivery): Promise<Outcome> {
  const { header } = delivery;
  try {
    const activities = proxyActivities<Record<string, HostTool>>({
      activityId: deliveryId(header.seq, delivery.number),
      taskQueue: GROUP_QUEUE_PREFIX + delivery.group,
      scheduleToStartTimeout: UNCLAIMED_MS,
      startToCloseTimeout: delivery.timeoutMs,
      heartbeatTimeout: header.leaseMs,
      retry: { maximumAttempts: 1 },
      cancellationType: ActivityCancellationType.TRY_CANCEL,
      allowEagerDispatch: false,
      priority: { fairnessKey: delivery.fairnessKey },
    });
    const call = activities[delivery.tool];
    if (!call) throw new Error('unreachable: activities are made by name');
    const result = await call(delivery.input, header);
    return 'deferred' in result
      ? { kind: 'deferred', until: result.deferred.until }
      : { kind: 'answered', value: result.value };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return outcomeOf(error);
  }
}

function outcomeOf(failure: ActivityFailure): Outcome {
  const { cause } = failure;
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === TimeoutType.HEARTBEAT) {
      return { kind: 'lost', begun: hasBegun(cause.lastHeartbeatDetails) };
    }
    return cause.timeoutType === TimeoutType.SCHEDULE_TO_START
      ? { kind: 'unclaimed' }
      : { kind: 'timed_out' };
  }
  if (cause instanceof ApplicationFailure) {
    if (cause.type === failureTypes.released) return { kind: 'released' };
    const [error, data] = (cause.details ?? []) as [AnswerError?, unknown?];
    if (!error) return { kind: 'failed', error: { message: cause.message } };
    return { kind: 'failed', error: data === undefined ? error : { ...error, data } };
  }
  return { kind: 'failed', error: { message: 'the call failed' } };
}

/** Details are decoded only where a heartbeat came with some. */
function hasBegun(details: unknown): boolean {
  return (
    typeof details === 'object' && details !== null && 'begun' in details && details.begun === true
  );
}
