import { describe, expect, test } from '@jest/globals';
import { tool, type ToolDeclaration } from '@rewind.codes/sdk';
import { z } from 'zod';
import { closeObjects } from '../../../sdk/tools/close-objects';
import { FakeServer } from './support/fake-server';

/** What goes over the wire for one tool. */
async function sent(declaration: ToolDeclaration): Promise<Record<string, unknown>> {
  const server = new FakeServer();
  await server.client().toolsets.create({ tools: { 'crm.find': declaration } });
  const { tools } = server.requests[0]?.body as { tools: Record<string, Record<string, unknown>> };
  return tools['crm.find'] ?? {};
}

const sentInput = async (input: ToolDeclaration['input']): Promise<unknown> =>
  (await sent({ description: 'd', input }))['input'];

describe('toolsets.create', () => {
  test('takes JSON Schema as it is', async () => {
    const input = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    expect(await sentInput(input)).toEqual(input);
  });

  test('turns zod into JSON Schema; a plain object takes no other members', async () => {
    expect(await sentInput(z.object({ email: z.string(), page: z.number().default(1) }))).toEqual({
      type: 'object',
      properties: { email: { type: 'string' }, page: { type: 'number', default: 1 } },
      required: ['email'],
      additionalProperties: false,
    });
  });

  test('objects inside lists, unions and records are closed too, those with a catchall are as they say', async () => {
    const input = z.object({
      list: z.array(z.object({ a: z.string() })),
      either: z.union([z.object({ b: z.string() }), z.null()]),
      map: z.record(z.string(), z.object({ c: z.string() })),
      loose: z.looseObject({ d: z.string() }),
      typed: z.object({}).catchall(z.string()),
    });
    const text = JSON.stringify(await sentInput(input));
    expect(text.match(/"additionalProperties":false/g)).toHaveLength(4);
    expect(text).toContain('"additionalProperties":{}');
    expect(text).toContain('"additionalProperties":{"type":"string"}');
  });

  test('the parts of an intersection stay open: closed, each would refuse the members of the other', () => {
    const part = (name: string): object => ({ type: 'object', properties: { [name]: {} } });
    const schema = {
      allOf: [part('a'), { $ref: '#/$defs/b' }, { anyOf: [part('c'), part('d')] }],
      $defs: { b: part('b'), other: part('e') },
    };
    expect(closeObjects(structuredClone(schema))).toEqual({
      ...schema,
      $defs: { b: part('b'), other: { ...part('e'), additionalProperties: false } },
    });
  });

  test('a default that looks like a schema is left alone', async () => {
    const input = z.object({ s: z.any().default({ properties: {} }) });
    const { properties } = (await sentInput(input)) as {
      properties: { s: { default: unknown } };
    };
    expect(properties.s.default).toEqual({ properties: {} });
  });

  test('a recursive zod schema keeps its references', async () => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    expect(JSON.stringify(await sentInput(Node))).toContain('"$ref"');
  });

  test('takes any schema with the Standard JSON Schema interface, a function too', async () => {
    const schema = Object.assign(() => undefined, {
      '~standard': {
        version: 1,
        vendor: 'other',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: ({ target }: { target: string }) => ({ $schema: target, type: 'object' }),
        },
        types: undefined as undefined | { output: { a: string } },
      },
    });
    expect(await sentInput(schema)).toEqual({ type: 'object' });
  });

  test('an early zod 4, whose interface has no JSON Schema, is converted by ours', async () => {
    const modern = z.object({ a: z.string() });
    const early = Object.create(modern, {
      '~standard': { value: { version: 1, vendor: 'zod', validate: () => undefined } },
    }) as typeof modern;
    expect(await sentInput(early)).toMatchObject({ type: 'object', required: ['a'] });
  });

  test.each<[string, unknown]>([
    ['no JSON Schema', { '~standard': { vendor: 'plain' } }],
    ['no JSON Schema', z.object({ at: z.date() })],
    ['must be a JSON Schema', undefined],
    ['must be a JSON Schema', 'object'],
  ])('a schema that cannot be sent is refused, naming tool and side (%s)', async (text, input) => {
    const declaration = { description: 'd', input } as ToolDeclaration;
    await expect(sent(declaration)).rejects.toThrow(`tools["crm.find"].input: `);
    await expect(sent(declaration)).rejects.toThrow(text);
  });

  test('HT-55: sends policy, approval, lease and timeout, and leaves out what is not given', async () => {
    const input = { type: 'object' };
    expect(
      await sent({
        description: 'd',
        input,
        output: z.object({ id: z.string() }),
        policy: 'at_most_once',
        approval: true,
        lease: '5s',
        timeout: '1h',
      }),
    ).toEqual({
      description: 'd',
      input,
      output: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
      policy: 'at_most_once',
      approval: true,
      lease: '5s',
      timeout: '1h',
    });
    expect(await sent({ description: 'd', input })).toEqual({ description: 'd', input });
  });

  test('takes what tool() gives and leaves the handler out', async () => {
    const find = tool({
      description: 'Find a customer.',
      input: z.object({ email: z.string() }),
      handler: ({ email }) => email.toUpperCase(),
    });
    expect(await sent(find)).not.toHaveProperty('handler');
  });

  test('declarations asks for some names, or all', async () => {
    const server = new FakeServer().on('/v1/toolsets/ts_12345678/declarations', () => ({
      declarations: 'declare …',
    }));
    const { toolsets } = server.client();
    expect(await toolsets.declarations('ts_12345678')).toBe('declare …');
    await toolsets.declarations('ts_12345678', { names: ['a', 'b'] });
    expect(server.requests.map(({ query }) => query.getAll('name'))).toEqual([[], ['a', 'b']]);
  });
});
