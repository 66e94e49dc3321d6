import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

type Payload = temporal.api.common.v1.IPayload;
type Payloads = temporal.api.common.v1.IPayloads;

/** JSON payloads, as the SDK's own converter writes them. */
export function toPayloads(...values: unknown[]): { payloads: Payload[] } {
  return { payloads: values.map((value) => defaultPayloadConverter.toPayload(value)) };
}

export function fromPayload<T>(payload: Payload | null | undefined): T | undefined {
  return payload ? defaultPayloadConverter.fromPayload<T>(payload) : undefined;
}

/** The payload at an index; `undefined` where there is none. */
export function fromPayloads<T>(payloads: Payloads | null | undefined, index = 0): T | undefined {
  return fromPayload<T>(payloads?.payloads?.[index]);
}

/** Fields of a memo, decoded. */
export function fromMemo(
  memo: temporal.api.common.v1.IMemo | null | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(memo?.fields ?? {}).map(([name, payload]) => [name, fromPayload(payload)]),
  );
}
