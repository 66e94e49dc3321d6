import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** Starts another program of this folder the way this one was started. */
export function start(program: string, ...args: string[]): ChildProcess {
  const file = join(__dirname, `${program}${__filename.slice(__filename.lastIndexOf('.'))}`);
  return spawn(process.execPath, [...process.execArgv, file, ...args], { stdio: 'inherit' });
}

/** The exit code, or the name of the signal that ended it. */
export function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}
