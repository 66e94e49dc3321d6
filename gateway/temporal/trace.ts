import type { TraceEntry } from '../../sdk/protocol';
import { callsQuery, type CallRecord } from '../../workflows/contract';
import { invalidRequest } from '../errors';
import type { ListRange } from '../engine';
import type { Access } from './access';
import { ask } from './ask';
import type { Description } from './describe';
import { closeEvent, endOf, historyEvents, isClosing, type HistoryEvent } from './history';
import { isReferencePayload, sizeOf } from './large-values';
import { fromPayload } from './payloads';
import { TraceReader, type Body, type TraceRow } from './trace-reader';

/** A run is asked for what its history does not show at most so long. */
const QUERY_MS = 1000;
/** A page with large arguments and results ends earlier than at its number of rows. */
const PAGE_BYTES = 1024 * 1024;

/**
 * The calls of a run, in order, read from its history as far as the page needs it: no script worker is
 * needed for it. Of arguments and results, only those of the page are kept and fetched.
 */
export async function readTrace(
  access: Access,
  id: string,
  description: Description,
  { limit, cursor, from = 1 }: ListRange & { from?: number },
): Promise<{ data: TraceEntry[]; nextCursor?: string }> {
  const after = cursor === undefined ? Math.max(from, 1) - 1 : seqOf(cursor);
  const reader = new TraceReader({ after, limit });
  let closing: HistoryEvent | undefined;
  for await (const event of historyEvents(access, id)) {
    reader.read(event);
    if (isClosing(event)) closing = event;
    if (!reader.done) continue;
    closing ??= await closeEvent(access, id);
    break;
  }
  const ending = closing && (await endOf(access, closing));
  if (ending) reader.merge(ending.end?.records ?? []);
  else reader.markClaimed(description);
  // The run itself knows more: it is open, or ended by a cancel, whose event tells nothing.
  if (!ending?.end && !ending?.ended) reader.merge(await askRecords(access, id));
  return pageOf(access, reader.rows(), after + limit);
}

async function askRecords(access: Access, id: string): Promise<CallRecord[]> {
  try {
    return await ask(access, id, callsQuery, QUERY_MS);
  } catch {
    // Not up: what the history shows stands.
    return [];
  }
}

async function pageOf(
  access: Access,
  { rows, more }: { rows: TraceRow[]; more: boolean },
  end: number,
): Promise<{ data: TraceEntry[]; nextCursor?: string }> {
  const page: TraceRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    for (const { payload } of row.bodies) bytes += sizeOf(payload);
    if (page.length > 0 && bytes > PAGE_BYTES) break;
    page.push(row);
  }
  await fill(
    access,
    page.flatMap(({ bodies }) => bodies),
  );
  const data = page.map(({ entry }) => entry);
  const next = page.length < rows.length ? data.at(-1)?.seq : more ? end : undefined;
  return next === undefined
    ? { data }
    : { data, nextCursor: Buffer.from(String(next)).toString('base64url') };
}

/** Puts arguments, results and data of errors into their entries. */
async function fill(access: Access, bodies: Body[]): Promise<void> {
  const kept = bodies.filter(({ payload }) => isReferencePayload(payload));
  const loaded = await access.values.load(kept.map(({ payload }) => payload));
  kept.forEach((body, index) => (body.payload = loaded[index] ?? body.payload));
  for (const { payload, put } of bodies) put(fromPayload(payload) ?? null);
}

/** The cursor is the number of the last call that was shown. */
function seqOf(cursor: string): number {
  const seq = Number(Buffer.from(cursor, 'base64url').toString());
  if (!Number.isSafeInteger(seq) || seq < 0) {
    throw invalidRequest('cursor: is none that a list gave', 'cursor');
  }
  return seq;
}
