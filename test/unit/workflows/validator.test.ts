import { expect, test } from '@jest/globals';
import { ToolSchemas } from '../../../workflows/validator';

const tool = (input: Record<string, unknown>, output?: Record<string, unknown>) => ({
  input,
  ...(output ? { output } : {}),
  policy: 'retry' as const,
  leaseMs: 1000,
});

test('a value that fits gives no problem; one that does not names its place', () => {
  const schemas = new ToolSchemas({
    'crm.find': tool(
      {
        type: 'object',
        properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } } },
        required: ['items'],
        additionalProperties: false,
        $defs: { item: { type: 'object', properties: { price: { type: 'number' } } } },
      },
      { type: 'string' },
    ),
  });
  expect(schemas.arguments('crm.find', { items: [{ price: 1 }] })).toBeUndefined();
  expect(schemas.arguments('crm.find', { items: [{ price: '1' }] })).toMatch(
    /^items\[0\]\.price: /,
  );
  expect(schemas.arguments('crm.find', {})).toMatch(/items/);
  expect(schemas.arguments('crm.find', { items: [], extra: 1 })).toMatch(/extra/);
  expect(schemas.result('crm.find', 'x')).toBeUndefined();
  expect(schemas.result('crm.find', 1)).toMatch(/^the value: /);
});

test('a tool without an output schema gives any result', () => {
  expect(new ToolSchemas({ a: tool({ type: 'object' }) }).result('a', { any: 1 })).toBeUndefined();
});
