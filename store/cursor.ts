import { InvalidCursorError } from './errors';

/** The last row of a page: the next page begins after it. */
export interface Position {
  at: Date;
  id: string;
}

export function writeCursor({ at, id }: Position): string {
  return Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url');
}

export function openCursor(cursor: string): Position {
  try {
    const [time, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    // Control characters would make the database refuse the query.
    if (Number.isSafeInteger(time) && typeof id === 'string' && /^\w{1,80}$/.test(id)) {
      const at = new Date(time as number);
      if (!Number.isNaN(at.getTime()) && at.getTime() >= 0) return { at, id };
    }
  } catch {
    // Not JSON: no cursor of ours.
  }
  throw new InvalidCursorError();
}
