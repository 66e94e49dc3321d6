import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lockState } from '../../../server/state-lock';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-lock-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

test('a second process on the same state folder is told which process has it and what to do', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    writeFileSync(join(stateDir, 'lock'), String(other.pid));
    expect(() => lockState(stateDir)).toThrow(
      new RegExp(`runs already on .* \\(process ${other.pid}\\).*--state`, 's'),
    );
  } finally {
    const exited = new Promise((resolve) => other.once('exit', resolve));
    other.kill('SIGKILL');
    await exited;
  }
  lockState(stateDir).release();
});

test.each([
  ['of a dead process', '999999999'],
  ['of a process that was given our pid before a restart', String(process.pid)],
  ['with nothing in it', ''],
])('a lock %s is taken over', (_, content) => {
  writeFileSync(join(stateDir, 'lock'), content);
  const lock = lockState(stateDir);
  expect(existsSync(join(stateDir, 'lock'))).toBe(true);
  lock.release();
  expect(existsSync(join(stateDir, 'lock'))).toBe(false);
});
