import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** File of the state folder that a shell can source to talk to the embedded system. */
export const envFile = (stateDir: string): string => join(stateDir, 'env');

/** The embedded system's first API key, made at the first start. */
export function embeddedRootKey(stateDir: string): { key: string; isNew: boolean } {
  const kept = readIfThere(envFile(stateDir))?.match(/^export REWIND_API_KEY=(\S+)$/m)?.[1];
  if (kept !== undefined) return { key: kept, isNew: false };
  const key = `rw_${randomBytes(32).toString('base64url')}`;
  writeSecret(stateDir, envFile(stateDir), `export REWIND_API_KEY=${key}\n`);
  return { key, isNew: true };
}

/** The embedded system's seal keys, made at the first start. */
export function embeddedSealKeys(stateDir: string): string[] {
  const file = join(stateDir, 'seal-keys');
  const kept = readIfThere(file)?.trim();
  if (kept) return kept.split(',');
  const key = randomBytes(32).toString('base64url');
  writeSecret(stateDir, file, `${key}\n`);
  return [key];
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeSecret(stateDir: string, file: string, text: string): void {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}
