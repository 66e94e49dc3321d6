import { readFileSync, renameSync, rmSync, writeFileSync, mkdirSync, linkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FolderInUseError } from './errors';

/** Folders that this process has open: its own pid in a file proves nothing. */
const held = new Set<string>();

/**
 * Takes a folder for this process, by a file beside it. A lock whose process is gone is taken over;
 * gives the function that lets go.
 */
export function lockFolder(folder: string): () => void {
  const path = resolve(folder);
  if (held.has(path)) throw new FolderInUseError(path, process.pid);
  const file = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true });
  while (!create(file)) {
    const text = read(file);
    const pid = text === undefined ? undefined : liveHolder(text);
    if (pid !== undefined) throw new FolderInUseError(path, pid);
    if (text !== undefined) discard(file, text, path);
  }
  held.add(path);
  return () => {
    if (held.delete(path)) rmSync(file, { force: true });
  };
}

/** By a link, so that nobody ever reads a lock that is half written. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid} ${startOf(process.pid) ?? ''}`);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Removes exactly the lock that was found stale: another process may have taken it over in between,
 * and its fresh lock is put back.
 */
function discard(file: string, stale: string, path: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const text = read(aside);
  if (text !== undefined && text !== stale) {
    const pid = liveHolder(text);
    linkSync(aside, file);
    rmSync(aside, { force: true });
    throw new FolderInUseError(path, pid ?? 0);
  }
  rmSync(aside, { force: true });
}

/** The process of the lock, if it is alive and no other that got its number since. */
function liveHolder(text: string): number | undefined {
  const [pidText = '', start = ''] = text.split(' ');
  const pid = Number(pidText);
  // Our own number is a stale one too: after a container's restart numbers begin anew.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  const now = startOf(pid);
  return start !== '' && now !== undefined && now !== start ? undefined : pid;
}

/** When a process began, in ticks since the machine's start. Only Linux tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
