import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../server/config';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'rewind-config-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));
const load = (env: NodeJS.ProcessEnv) => loadConfig(env, { stateDir });
const sealKey = 'k'.repeat(32);

test('an empty environment is an embedded system on the loopback interface, port 7400', () => {
  expect(load({})).toMatchObject({
    host: '127.0.0.1',
    port: 7400,
    stateDir,
    quotas: { runs: 1000, workflows: 200 },
    temporalGiven: false,
  });
  expect(load({}).databaseUrl).toBeUndefined();
});

test('the first root key and seal key are made once, and kept where only the owner reads them', () => {
  const first = load({});
  const second = load({});
  expect(first.rootKeyIsNew).toBe(true);
  expect(second.rootKeyIsNew).toBe(false);
  expect(second.rootKey).toBe(first.rootKey);
  expect(second.sealKeys).toEqual(first.sealKeys);
  expect(readFileSync(join(stateDir, 'env'), 'utf8')).toBe(
    `export REWIND_API_KEY=${first.rootKey}\n`,
  );
  for (const file of ['env', 'seal-keys']) {
    expect(statSync(join(stateDir, file)).mode & 0o777).toBe(0o600);
  }
});

test('a root key that was set is used and written nowhere', () => {
  const config = load({ REWIND_ROOT_KEY: 'rw_0123456789abcdefghij' });
  expect(config).toMatchObject({ rootKey: 'rw_0123456789abcdefghij', rootKeyIsNew: false });
  expect(() => statSync(join(stateDir, 'env'))).toThrow('ENOENT');
});

test('PostgreSQL without seal keys is refused, saying how to make one', () => {
  expect(() => load({ REWIND_DATABASE_URL: 'postgres://db/rewind' })).toThrow(
    /REWIND_SEAL_KEYS must be set together with REWIND_DATABASE_URL.*openssl rand/s,
  );
});

test('with PostgreSQL nothing is made: a second gateway would make another', () => {
  const config = load({
    REWIND_DATABASE_URL: 'postgresql://db/rewind',
    REWIND_SEAL_KEYS: `${sealKey}, ${'l'.repeat(40)}`,
  });
  expect(config.sealKeys).toEqual([sealKey, 'l'.repeat(40)]);
  expect(config.rootKey).toBeUndefined();
});

test('every setting that is wrong is named, without its value', () => {
  const wrong = {
    REWIND_PORT: '70000',
    REWIND_QUOTA_RUNS: 'many',
    REWIND_DATABASE_URL: 'mysql://root:hunter2@db',
    REWIND_SEAL_KEYS: 'hunter2',
    REWIND_ROOT_KEY: 'hunter2',
  };
  let message = '';
  try {
    load(wrong);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    message = (error as Error).message;
  }
  for (const name of Object.keys(wrong)) expect(message).toContain(`${name}: `);
  expect(message).not.toContain('hunter2');
});

test('an empty variable counts as unset', () => {
  expect(load({ REWIND_PORT: '', TEMPORAL_ADDRESS: '' })).toMatchObject({
    port: 7400,
    temporalGiven: false,
  });
});

test.each(['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'])(
  '%s means that the Temporal server is not ours to start',
  (name) => {
    expect(load({ [name]: 'x' }).temporalGiven).toBe(true);
  },
);
