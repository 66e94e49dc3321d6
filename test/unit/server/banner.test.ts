import { afterEach, expect, test } from '@jest/globals';
import type { Config } from '../../../server/config';
import { banner } from '../../../server/banner';

const config = (changes: Partial<Config> = {}): Config => ({
  host: '127.0.0.1',
  port: 7400,
  stateDir: `${process.cwd()}/.rewind`,
  sealKeys: [],
  rootKey: 'rw_first',
  rootKeyIsNew: true,
  quotas: { runs: 1000, workflows: 200 },
  temporalGiven: false,
  taskMs: 30_000,
  logLevel: 'info',
  ...changes,
});
const system = { url: 'http://127.0.0.1:7400', uiUrl: 'http://127.0.0.1:8233' };
const rootKey = process.env['REWIND_ROOT_KEY'];
afterEach(() => {
  if (rootKey === undefined) delete process.env['REWIND_ROOT_KEY'];
  else process.env['REWIND_ROOT_KEY'] = rootKey;
});

test('the first start shows the address, the key as a line to type, and the next command', () => {
  const text = banner(config(), system);
  expect(text).toContain('http://127.0.0.1:7400');
  expect(text).toContain('http://127.0.0.1:8233');
  expect(text).toMatch(/^ {2}export REWIND_API_KEY=rw_first$/m);
  expect(text).toMatch(/^ {2}npx tsx examples\/host-tools\/main\.ts$/m);
  expect(text).not.toContain('REWIND_BASE_URL');
});

test('later starts say where the key is, and do not show it again', () => {
  const text = banner(config({ rootKeyIsNew: false }), system);
  expect(text).not.toContain('rw_first');
  expect(text).toMatch(/^ {2}source \.rewind\/env$/m);
});

test('a key that the operator set is not shown', () => {
  process.env['REWIND_ROOT_KEY'] = 'rw_first';
  const text = banner(config({ rootKeyIsNew: false }), system);
  expect(text).not.toContain('rw_first');
  expect(text).toContain('export REWIND_API_KEY=$REWIND_ROOT_KEY');
});

test('another port than the usual one comes with the line that tells the SDK', () => {
  const text = banner(config(), { url: 'http://127.0.0.1:7500' });
  expect(text).toContain('  export REWIND_BASE_URL=http://127.0.0.1:7500');
});
