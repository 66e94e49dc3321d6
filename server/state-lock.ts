import { join } from 'node:path';
import { FolderInUseError } from '../store';
import { lockFolder } from '../store/folder-lock';

/** The state folder is in use by another process. */
export class StateInUseError extends Error {}

/**
 * Takes the state folder for this process and gives the function that lets go. A lock whose process
 * is gone is taken over.
 */
export function lockState(stateDir: string): () => void {
  try {
    return lockFolder(join(stateDir, 'state'));
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new StateInUseError(
      `Rewind runs already on ${stateDir} (process ${error.pid}). What is embedded serves one process: ` +
        'stop that one, or take another folder with --state <folder>.',
      { cause: error },
    );
  }
}
