import { utf8Bytes } from '../sdk/protocol';
import type { CallRecord } from './contract';
import type { HostCall } from './host-call';

/** Of the calls that the history does not show by itself, so many are told, */
const RECORDS = 200;
/** in so many bytes: an error's data can be large, and all of them are one payload. */
const BYTES = 512 * 1024;

/** The newest records, oldest first. */
export function lastRecords(calls: readonly HostCall[], ending: boolean): CallRecord[] {
  const records: CallRecord[] = [];
  let bytes = 0;
  for (let index = calls.length - 1; index >= 0 && records.length < RECORDS; index -= 1) {
    const record = calls[index]?.record({ ending });
    if (!record) continue;
    bytes += utf8Bytes(JSON.stringify(record));
    if (bytes > BYTES) break;
    records.push(record);
  }
  return records.reverse();
}
