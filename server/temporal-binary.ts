import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/**
 * The Temporal CLI, which brings the embedded server: from PATH, else where `npm run setup` puts it.
 * `undefined` where there is none.
 */
export function findTemporal(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    join(process.cwd(), '.rewind', 'bin'),
    join(__dirname, '..', '.rewind', 'bin'),
    join(__dirname, '..', '..', '.rewind', 'bin'),
  ];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
