import { expect, test } from '@jest/globals';
import * as sdk from '@rewind.codes/sdk';
import manifest from '../../../sdk/package.json';
import { version } from '../../../sdk/version';

// The expectation is a list of literals: what is added here is promised to users.
test('the package exports exactly these names', () => {
  expect(Object.keys(sdk).sort()).toEqual([
    'AuthenticationError',
    'BadRequestError',
    'ConflictError',
    'ConnectionError',
    'HostToolError',
    'NamespaceRequiredError',
    'NotFoundError',
    'PermissionError',
    'QuotaError',
    'RateLimitError',
    'Rewind',
    'RewindError',
    'RunEndedError',
    'ScriptRefusedError',
    'ServerError',
    'TooLargeError',
    'tool',
  ]);
});

test('the client has exactly these members', () => {
  const rewind = new sdk.Rewind({ apiKey: 'k' });
  const members = (value: object): string[] =>
    [...Object.keys(value), ...Object.getOwnPropertyNames(Object.getPrototypeOf(value))]
      .filter((name) => name !== 'constructor')
      .sort();
  expect(members(rewind)).toEqual([
    'agentTools',
    'approvals',
    'keys',
    'namespace',
    'runs',
    'scripts',
    'tasks',
    'toolsets',
    'worker',
    'workflows',
  ]);
  expect(members(rewind.toolsets)).toEqual(['create', 'declarations', 'derive', 'retrieve']);
  expect(members(rewind.scripts)).toEqual(['check', 'test']);
  expect(members(rewind.runs)).toEqual([
    'cancel',
    'create',
    'list',
    'log',
    'output',
    'retrieve',
    'retry',
    'script',
    'signal',
    'trace',
    'wait',
  ]);
  expect(members(rewind.tasks)).toEqual(['complete', 'fail']);
  expect(members(rewind.approvals)).toEqual(['approve', 'deny', 'list', 'pending']);
  expect(members(rewind.workflows)).toEqual(['delete', 'list', 'retrieve', 'save']);
  expect(members(rewind.keys)).toEqual(['create', 'list', 'revoke']);
});

test('the version in the user agent is that of the package, whose one dependency is zod', () => {
  expect(version).toBe(manifest.version);
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
});
