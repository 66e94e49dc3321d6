import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from './processes';

/** The state folder is in use by another process. */
export class StateInUseError extends Error {
  constructor(
    readonly stateDir: string,
    readonly pid: number,
  ) {
    super(
      `Rewind runs already on ${stateDir} (process ${pid}). The embedded database serves one process: ` +
        'stop that one, or take another folder with --state <folder>.',
    );
  }
}

/** Takes the state folder for this process. A lock whose process is gone is taken over. */
export function lockState(stateDir: string): { release: () => void } {
  const file = join(stateDir, 'lock');
  mkdirSync(stateDir, { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = holder(file);
    // Our own pid is a stale one too: after a container's restart pids begin anew.
    if (pid !== undefined && pid !== process.pid && isRunning(pid, 'node')) {
      throw new StateInUseError(stateDir, pid);
    }
    rmSync(file, { force: true });
  }
}

function holder(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
