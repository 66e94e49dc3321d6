/** The cursor of a list is none that the store gave. */
export class InvalidCursorError extends Error {
  constructor() {
    super('the cursor is not one that a list gave');
    this.name = 'InvalidCursorError';
  }
}

/** The embedded database's folder is in use by another process. */
export class FolderInUseError extends Error {
  constructor(
    readonly folder: string,
    readonly pid: number,
  ) {
    super(
      `The embedded database in ${folder} is in use by process ${pid}. It serves one process: stop ` +
        'that one, take another folder, or use PostgreSQL (REWIND_DATABASE_URL) for several.',
    );
    this.name = 'FolderInUseError';
  }
}

/** Of Node's sockets and of PostgreSQL: nobody answers, or not now. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  // PostgreSQL: too many connections, shutting down, starting, statement timeout.
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57014',
]);
/** The pool's own errors carry no code. */
const unreachableMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is clos|Query read timeout)/;

/** `true` where the database did not answer, so that the same request may succeed later. */
export function isUnreachable(error: unknown): boolean {
  // By shape: errors of Node itself are of another realm in some test runners and VMs.
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors, syscall } = error as Record<string, unknown>;
  if (Array.isArray(errors) && errors.some(isUnreachable)) return true;
  // The server's Unix socket is not there; a file that is missing is another matter.
  if (code === 'ENOENT') return syscall === 'connect';
  return (
    (typeof code === 'string' && (unreachableCodes.has(code) || code.startsWith('08'))) ||
    (typeof message === 'string' && unreachableMessage.test(message))
  );
}
