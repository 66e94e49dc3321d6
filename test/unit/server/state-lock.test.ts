import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    writeFileSync(join(stateDir, 'state.lock'), String(other.pid));
    expect(() => lockState(stateDir)).toThrow(
      new RegExp(`runs already on .* \\(process ${other.pid}\\).*--state`, 's'),
    );
  } finally {
    const exited = new Promise((resolve) => other.once('exit', resolve));
    other.kill('SIGKILL');
    await exited;
  }
  lockState(stateDir)();
});
