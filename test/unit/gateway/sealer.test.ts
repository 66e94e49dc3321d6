import { createCipheriv, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSealer } from '../../../gateway';

const first = 'first key, of at least 32 characters';
const second = 'second key, of at least 32 characters';
const payload = { run: 'run_1', labels: { 'ü"': '漢' }, n: 1 };

test('what was sealed is opened again, and reads like noise', async () => {
  const sealer = createSealer([first]);
  const token = await sealer.seal('claim', payload);
  expect(token).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(Buffer.from(token, 'base64').toString('latin1')).not.toContain('run_1');
  expect(await sealer.open('claim', token)).toEqual(payload);
  expect(await sealer.seal('claim', payload)).not.toBe(token);
});

test('a token of one kind is none of another', async () => {
  const sealer = createSealer([first]);
  expect(await sealer.open('deferral', await sealer.seal('claim', payload))).toBeUndefined();
});

test('keys are rotated: the first seals, all open, a removed one opens no more', async () => {
  const old = await createSealer([first]).seal('claim', payload);
  const rotated = createSealer([second, first]);
  expect(await rotated.open('claim', old)).toEqual(payload);
  const fresh = await rotated.seal('claim', payload);
  expect(await createSealer([second]).open('claim', fresh)).toEqual(payload);
  expect(await createSealer([first]).open('claim', fresh)).toBeUndefined();
  expect(await createSealer([second]).open('claim', old)).toBeUndefined();
});

test('whatever was changed, cut or made up is refused without a throw', async () => {
  const sealer = createSealer([first]);
  const token = await sealer.seal('claim', payload);
  const parts = token.split('.');
  const header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString()) as object;
  const headed = (change: object) =>
    [
      Buffer.from(JSON.stringify({ ...header, ...change })).toString('base64url'),
      ...parts.slice(1),
    ].join('.');
  const wrong = [
    '',
    '.',
    '....',
    'x'.repeat(16_384),
    '\u0000\ud800',
    token.slice(0, -1),
    `${token}A`,
    ...parts.map((part, at) =>
      parts.map((p, i) => (i === at ? `A${part.slice(1)}B` : p)).join('.'),
    ),
    headed({ alg: 'none' }),
    headed({ alg: 'A256KW' }),
    headed({ enc: 'A128CBC-HS256' }),
    headed({ kid: '__proto__' }),
    headed({ kid: undefined }),
    headed({ zip: 'DEF' }),
    forge(),
  ];
  for (const text of wrong) expect(await sealer.open('claim', text)).toBeUndefined();
});

/** A well-formed token under a key of the forger's own. */
function forge(): string {
  const header = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', randomBytes(32), iv).setAAD(Buffer.from(header));
  const text = Buffer.concat([cipher.update('{"kind":"claim","payload":{}}'), cipher.final()]);
  const encoded = [iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [header, '', ...encoded].join('.');
}

test('a sealer without a key is a mistake at start, not at the first token', () => {
  expect(() => createSealer([])).toThrow('at least one key');
});
