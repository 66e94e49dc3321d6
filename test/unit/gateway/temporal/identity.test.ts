import { expect, test } from '@jest/globals';
import {
  canonicalJson,
  digest,
  groupOf,
  namespaceIndex,
  runIdOf,
} from '../../../../gateway/temporal/identity';
import { runIdSchema } from '../../../../sdk/protocol';

test('equal values give equal text, whatever the order of their keys', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  expect(digest({ a: 1, b: 2 }, 32)).toBe(digest({ b: 2, a: 1 }, 32));
});

test('AT-36, AT-37: a key leads to one run for each end user and set of labels', () => {
  const id = runIdOf('ada', { a: '1', b: '2' }, 'key');
  expect(runIdSchema.safeParse(id).success).toBe(true);
  expect(runIdOf('ada', { b: '2', a: '1' }, 'key')).toBe(id);
  expect(runIdOf('bob', { a: '1', b: '2' }, 'key')).not.toBe(id);
  expect(runIdOf('ada', { a: '1' }, 'key')).not.toBe(id);
  expect(runIdOf('ada', { a: '1', b: '2' }, 'other')).not.toBe(id);
});

test('workers that accept the same make one group', () => {
  const group = groupOf({ tools: ['b', 'a', 'b'] });
  expect(group.tools).toEqual(['a', 'b']);
  expect(groupOf({ tools: ['a', 'b'] }).id).toBe(group.id);
  expect(groupOf({ tools: ['a', 'b'], toolset: 'ts_1' }).id).not.toBe(group.id);
  expect(groupOf({ tools: ['a', 'b'], namespace: 'ada' }).id).not.toBe(group.id);
});

test('a namespace is readable in the index where that is safe, else hashed', () => {
  expect(namespaceIndex('user_1@example.com')).toBe('user_1@example.com');
  expect(namespaceIndex("x' OR '1'='1")).toMatch(/^h:[0-9a-f]{40}$/);
  expect(namespaceIndex('x'.repeat(200))).toMatch(/^h:/);
});
