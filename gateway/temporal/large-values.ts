import {
  ExternalStorage,
  StorageDriverClaim,
  type Payload,
  type StorageDriver,
} from '@temporalio/common';
import { ExternalStorageRunner } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { createHash } from 'node:crypto';
import type { Store, StoredValue } from '../../store/types';
import { INLINE_BYTES } from '../../workflows/contract';
import { fromPayload, toPayloads } from './payloads';

type IPayload = temporal.api.common.v1.IPayload;
const PayloadProto = temporal.api.common.v1.Payload;

/** Of the reference that a history has in place of a payload. Written into histories. */
const DRIVER = 'rewind-store';
/** Payloads of queries: they pass by and are in no history, so they are never kept. */
const BINARY = 'binary/plain';

/**
 * Temporal's external storage over the store. A value's id is the hash of its body: written again by
 * a repeated workflow task, it is the same row.
 */
export function largeValues(store: Store): ExternalStorage {
  const driver: StorageDriver = {
    name: DRIVER,
    type: 'rewind.store',
    store: async (_context, payloads) => {
      const values = payloads.map(valueOf);
      await store.putValues(values);
      return values.map(({ id }) => new StorageDriverClaim({ id }));
    },
    retrieve: async (_context, claims) => {
      const ids = claims.map(({ claimData }) => claimData['id'] ?? '');
      const found = await store.values(ids);
      return ids.map((id) => {
        const body = found.get(id);
        if (!body) throw new Error(`a value of this run is not in the store any more: ${id}`);
        return PayloadProto.decode(body);
      });
    },
  };
  return new ExternalStorage({
    drivers: [driver],
    driverSelector: (_context, payload) => (isBinary(payload) ? null : driver),
    payloadSizeThreshold: INLINE_BYTES,
  });
}

/** Payloads of what the gateway sends and reads without Temporal's client; large ones by reference. */
export class Values {
  private readonly runner: ExternalStorageRunner;

  constructor(storage: ExternalStorage) {
    this.runner = new ExternalStorageRunner(storage);
  }

  /** Payloads as a history has them. */
  async write(...values: unknown[]): Promise<{ payloads: IPayload[] }> {
    const payloads = toPayloads(...values).payloads;
    return { payloads: await this.runner.store(payloads) };
  }

  /** The payload at an index; `undefined` where there is none. */
  async read<T>(
    payloads: temporal.api.common.v1.IPayloads | null | undefined,
    index = 0,
  ): Promise<T | undefined> {
    const payload = payloads?.payloads?.[index];
    return payload ? fromPayload<T>(...(await this.load([payload]))) : undefined;
  }

  /** The payloads that references stand for, all with one question. */
  async load<P extends IPayload[]>(payloads: [...P]): Promise<P> {
    return (await this.runner.retrieve(payloads)) as P;
  }
}

/** Bytes of a payload, also of one that is kept elsewhere. */
export function sizeOf(payload: IPayload): number {
  const kept = payload.externalPayloads?.[0]?.sizeBytes;
  return kept ? Number(kept) : (payload.data?.length ?? 0);
}

export { isReferencePayload } from '@temporalio/common/lib/internal-non-workflow';

function valueOf(payload: Payload): StoredValue {
  const body = PayloadProto.encode(payload).finish();
  return { id: createHash('sha256').update(body).digest('base64url'), body };
}

function isBinary({ metadata }: Payload): boolean {
  const encoding = metadata?.['encoding'];
  return encoding !== undefined && Buffer.from(encoding).toString() === BINARY;
}
