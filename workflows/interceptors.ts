import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { DELIVERY_HEADER, type DeliveryHeader } from './contract';

/**
 * A delivery is scheduled with two arguments: the call's own, and what the gateway must know about
 * it. The second travels as a header, so that the activity's input is the tool's input alone. The
 * run's own activities have one argument.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        const [argument, delivery] = input.args as [unknown, DeliveryHeader?];
        if (!delivery) return next(input);
        return next({
          ...input,
          args: [argument],
          headers: {
            ...input.headers,
            [DELIVERY_HEADER]: defaultPayloadConverter.toPayload(delivery),
          },
        });
      },
    },
  ],
});
