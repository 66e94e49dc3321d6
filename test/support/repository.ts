import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of this repository. */
export const root = join(__dirname, '..', '..');

/**
 * Files of the repository, relative to its root, sorted: those that git knows, and those that it would
 * take. Only `tracked`: what a clone has.
 */
export function repositoryFiles(which: 'all' | 'tracked' = 'all'): string[] {
  const args = ['ls-files', '-z', '--cached'];
  if (which === 'all') args.push('--others', '--exclude-standard');
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const deleted = new Set(
    execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split(
      '\0',
    ),
  );
  return [...new Set(output.split('\0'))]
    .filter((file) => file !== '' && !deleted.has(file))
    .sort();
}

/** Text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
