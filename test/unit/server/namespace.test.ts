import { expect, test } from '@jest/globals';
import { problems } from '../../../server/namespace';

test('a missing namespace is named with the command that makes it', () => {
  expect(problems('agents', { exists: false, retentionDays: 0, missing: [] })).toEqual([
    {
      fatal: true,
      message: 'The Temporal namespace "agents" does not exist and could not be registered.',
      command: 'temporal operator namespace create --namespace agents --retention 30d',
    },
  ]);
});

test('missing search attributes are named with their types', () => {
  const missing = ['RewindState', 'RewindLabels'];
  expect(problems('agents', { exists: true, retentionDays: 30, missing })).toEqual([
    {
      fatal: true,
      message:
        'The Temporal namespace "agents" lacks search attributes: RewindState, RewindLabels.',
      command:
        'temporal operator search-attribute create --namespace agents ' +
        '--name RewindState --type Keyword --name RewindLabels --type KeywordList',
    },
  ]);
});

test('less retention is a warning: the system works, but forgets earlier', () => {
  const [problem] = problems('agents', { exists: true, retentionDays: 7, missing: [] });
  expect(problem?.fatal).toBe(false);
  expect(problem?.message).toContain('keeps ended runs for 7 d');
});

test('a namespace with all that is needed has no problems', () => {
  expect(problems('agents', { exists: true, retentionDays: 90, missing: [] })).toEqual([]);
});
