import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from './eventually';

const root = join(__dirname, '..', '..');

/** A TypeScript program that runs as a process of its own. */
export interface ChildProgram {
  pid: number;
  /** All that it wrote so far, to both outputs. */
  output(): string;
  /** The first line that matches, as soon as it is written. */
  line(pattern: RegExp, options?: { within?: number }): Promise<RegExpMatchArray>;
  /** Exit code, or the name of the signal that ended it. */
  exited: Promise<number | string>;
  /** Sends the signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<number | string>;
}

/** Starts `file` (from the root of the repository) under tsx. */
export function startProgram(
  file: string,
  args: string[] = [],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): ChildProgram {
  // The loader instead of tsx's own command line: that one is a parent process, which a kill -9
  // would hit in place of the program.
  const loader = join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs');
  const preflight = join(root, 'node_modules', 'tsx', 'dist', 'preflight.cjs');
  const node = ['--require', preflight, '--import', `file://${loader}`];
  const child = spawn(process.execPath, [...node, join(root, file), ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  let over = false;
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      over = true;
      resolve(code ?? signal ?? 'unknown');
    });
  });
  exited.catch(() => undefined);
  return {
    pid: child.pid ?? -1,
    output: () => text,
    line: (pattern, { within = 60_000 } = {}) =>
      eventually(
        () => {
          const match = text
            .split('\n')
            .map((line) => line.match(pattern))
            .find(Boolean);
          if (match) return { match };
          if (over) return { match: undefined };
          throw new Error(`no line ${String(pattern)} in:\n${text}`);
        },
        { within },
      ).then(({ match }) => {
        if (match) return match;
        throw new Error(`the program ended without a line ${String(pattern)}:\n${text}`);
      }),
    exited,
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}
