import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FolderInUseError, openStore } from '../../../store';
import { lockFolder } from '../../../store/folder-lock';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rewind-store-'));
  folder = join(root, 'state', 'db');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test('what an embedded database keeps is there after a restart', async () => {
  const first = await openStore({ dataDir: folder });
  const toolset = { id: 'ts_abcdefgh', tools: {}, workflows: [], createdAt: new Date() };
  await first.putToolset(toolset);
  await first.close();
  const second = await openStore({ dataDir: folder });
  expect(await second.toolset('ts_abcdefgh')).toEqual(toolset);
  await second.close();
  expect(existsSync(`${folder}.lock`)).toBe(false);
});

test('a folder that is open is refused with a message that says what to do', async () => {
  const store = await openStore({ dataDir: folder });
  const refused = await openStore({ dataDir: folder }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FolderInUseError);
  expect((refused as Error).message).toContain(folder);
  expect((refused as Error).message).toMatch(/process \d+.*PostgreSQL/);
  await store.close();
  const again = await openStore({ dataDir: folder });
  await again.close();
});

test('a folder of a live process is refused; once that is gone it is taken over', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  lockFolder(folder)();
  writeFileSync(`${folder}.lock`, `${other.pid} `);
  expect(() => lockFolder(folder)).toThrow(`in use by process ${other.pid}`);
  const gone = once(other, 'exit');
  other.kill();
  await gone;
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUseError);
  unlock();
  expect(existsSync(`${folder}.lock`)).toBe(false);
});

test('a process that only got the number of the one that held the folder does not hold it', () => {
  lockFolder(folder)();
  // The parent is alive, but it did not start at tick 1 of the machine.
  writeFileSync(`${folder}.lock`, `${process.ppid} 1`);
  lockFolder(folder)();
});

test.each(['', 'garbage', '-1 5', '0', String(process.pid)])(
  'a lock that reads %j is stale',
  (text) => {
    lockFolder(folder)();
    writeFileSync(`${folder}.lock`, text);
    lockFolder(folder)();
    expect(existsSync(`${folder}.lock`)).toBe(false);
  },
);
