import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BadRequestError, TooLargeError, type JsonSchema } from '@rewind.codes/sdk';
import { startRewind, type TestRewind } from '../../support/rewind';

// FC-35: schemas that refer to themselves, to each other, to nothing, or without end.
let rewind: TestRewind;
beforeAll(async () => {
  rewind = await startRewind();
  // The first check loads the standard library, which is not what these tests measure.
  await declare({ type: 'object' });
}, 120_000);
afterAll(() => rewind.stop(), 60_000);

const declare = (input: JsonSchema) =>
  rewind.client().toolsets.create({ tools: { 'crm.put': { description: 'Put.', input } } });

const node: JsonSchema = {
  type: 'object',
  properties: {
    value: { type: 'number' },
    next: { $ref: '#/$defs/node', description: 'The next one.' },
  },
  required: ['value'],
};
const text = { type: 'string' };
const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`field_${n}`, text]));

describe.each<[string, JsonSchema, string, string | undefined]>([
  [
    'a self-reference with a description',
    { $ref: '#/$defs/node', $defs: { node } },
    '{ value: 1, next: { value: 2, next: { value: 3 } } }',
    '{ value: 1, next: { value: "2" } }',
  ],
  [
    'mutual references',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      required: ['a'],
      $defs: {
        a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } } },
        b: { type: 'object', properties: { a: { $ref: '#/$defs/a' }, n: { type: 'number' } } },
      },
    },
    '{ a: { b: { a: { b: { n: 1 } } } } }',
    '{ a: { b: { n: "1" } } }',
  ],
  [
    'a reference to the root',
    { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } },
    '{ children: [{ children: [] }, {}] }',
    '{ children: [{ children: 1 }] }',
  ],
  [
    'a boolean schema',
    { type: 'object', properties: { any: true } },
    '{ any: [1, "a"] }',
    undefined,
  ],
  [
    'a tuple',
    {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [text, { type: 'number' }], items: false },
      },
    },
    '{ pair: ["a", 1] }',
    '{ pair: [1, "a"] }',
  ],
  [
    'a diamond of allOf',
    {
      type: 'object',
      allOf: [{ $ref: '#/$defs/left' }, { $ref: '#/$defs/right' }],
      $defs: {
        top: { type: 'object', properties: { id: text }, required: ['id'] },
        left: { allOf: [{ $ref: '#/$defs/top' }], properties: { l: text } },
        right: { allOf: [{ $ref: '#/$defs/top' }], properties: { r: text } },
      },
    },
    '{ id: "1", l: "l", r: "r" }',
    '{ l: "l" }',
  ],
  [
    '3,000 properties',
    { type: 'object', properties: many },
    '{ field_0: "a", field_2999: "b" }',
    '{ field_7: 7 }',
  ],
])('FC-35: %s', (_, input, fits, fitsNot) => {
  test('is declared soon, with types that scripts can use', async () => {
    const begun = Date.now();
    const { id: toolset } = await declare(input);
    expect(Date.now() - begun).toBeLessThan(5000);
    const { scripts } = rewind.client();
    expect(await scripts.check({ script: `await crm.put(${fits});`, toolset })).toMatchObject({
      ok: true,
      tools: ['crm.put'],
    });
    if (fitsNot === undefined) return;
    const refused = await scripts.check({ script: `await crm.put(${fitsNot});`, toolset });
    expect(refused.ok).toBe(false);
  });
});

test('FC-35: a reference to nothing is refused, naming tool and path', async () => {
  const declared = declare({ type: 'object', properties: { a: { $ref: '#/$defs/missing' } } });
  await expect(declared).rejects.toBeInstanceOf(BadRequestError);
  await expect(declared).rejects.toThrow(/crm\.put.*missing/s);
});

test('FC-35: a reference to the network is refused or unknown, and nothing is fetched', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const $ref = `http://127.0.0.1:${port}/schema.json`;
  await declare({ type: 'object', properties: { a: { $ref } } }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(BadRequestError);
  });
  await new Promise((resolve) => server.close(resolve));
  expect(requests).toBe(0);
});

test('FC-35: five megabytes are refused with the limit', async () => {
  const enumeration = Array.from({ length: 5000 }, (_, n) => `${n}`.padEnd(1000, 'x'));
  const declared = declare({ type: 'object', properties: { a: { enum: enumeration } } });
  await expect(declared).rejects.toBeInstanceOf(TooLargeError);
});

test('FC-35: a schema without end in depth is refused or declared, and others are served meanwhile', async () => {
  let deep: JsonSchema = text;
  for (let level = 0; level < 400; level += 1) {
    deep = { type: 'object', properties: { a: deep } };
  }
  const begun = Date.now();
  const declared = declare(deep).catch((error: unknown) => error);
  expect((await declare({ type: 'object' })).id).toMatch(/^ts_/);
  const outcome = await declared;
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(BadRequestError);
  expect(Date.now() - begun).toBeLessThan(20_000);
});
