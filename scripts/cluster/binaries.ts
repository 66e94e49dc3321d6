import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = 'v1.32.1';
const module = 'go.temporal.io/server/cmd';
const folder = join(__dirname, '..', '..', '.rewind', 'cluster', 'bin');
const suffix = process.platform === 'win32' ? '.exe' : '';

export interface ClusterBinaries {
  server: string;
  /** Temporal's schema tool for SQL databases; the schemas are inside it. */
  sql: string;
}

/** The real Temporal server, built from its source where it was not built before: some 7 minutes. */
export function ensureBinaries(): ClusterBinaries {
  return { server: ensure('server', 'server'), sql: ensure('sql', 'tools/sql') };
}

function ensure(name: string, path: string): string {
  const binary = join(folder, name + suffix);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  console.log(`Building ${name} of Temporal ${VERSION}, once: takes minutes`);
  const { status, error } = spawnSync('go', ['install', `${module}/${path}@${VERSION}`], {
    env: { ...process.env, GOBIN: folder },
    stdio: 'inherit',
  });
  if (error)
    throw new Error('Building the Temporal server needs Go 1.26 on PATH.', { cause: error });
  if (status !== 0 || !existsSync(binary)) throw new Error(`go install of ${path} failed`);
  return binary;
}
