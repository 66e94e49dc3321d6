import { z } from 'zod';
import {
  errorBodySchema,
  errorStatus,
  headers,
  limits,
  operations,
  type ErrorCode,
  type Operation,
} from '../sdk/protocol';

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, made from the same table that the routes are made from. */
export function openApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations) as [string, Operation][]) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[operation.method] = describe(name, operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rewind',
      version,
      description: 'Durable TypeScript scripts for AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      schemas: { Error: schemaOf(errorBodySchema) },
      responses: Object.fromEntries(
        [...codesByStatus].map(([status, codes]) => [`Error${status}`, errorResponse(codes)]),
      ),
    },
  };
}

const codesByStatus = new Map<number, ErrorCode[]>();
for (const [code, status] of Object.entries(errorStatus) as [ErrorCode, number][]) {
  codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
}

function describe(name: string, operation: Operation): Json {
  return {
    operationId: name,
    summary: operation.summary,
    description: `Needs the right \`${operation.right}\`.`,
    tags: [operation.path.split('/')[2] ?? ''],
    parameters: parametersOf(name, operation),
    ...(operation.body && {
      requestBody: { required: true, content: jsonContent(operation.body) },
    }),
    responses: {
      [operation.status]: {
        description: 'Done.',
        headers: { [headers.requestId]: { schema: { type: 'string' } } },
        content: jsonContent(operation.response),
      },
      ...Object.fromEntries(
        errorsOf(name, operation).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
    },
  };
}

/** Statuses that the operation can answer with, besides its own. */
function errorsOf(name: string, operation: Operation): number[] {
  const statuses = new Set([400, 401, 403, 405, 429, 500, 503]);
  if (operation.params || name === 'createRun' || name === 'checkScript') statuses.add(404);
  if (operation.body) for (const status of [408, 413, 415]) statuses.add(status);
  if (operation.path.startsWith('/v1/tasks/') || name === 'signalRun' || name === 'cancelRun') {
    statuses.add(409);
  }
  if (name === 'createRun') for (const status of [409, 422]) statuses.add(status);
  return [...statuses].sort((a, b) => a - b);
}

function parametersOf(name: string, operation: Operation): Json[] {
  const list: Json[] = [
    ...fieldsOf(operation.params).map(([field, schema]) => ({
      name: field,
      in: 'path',
      required: true,
      schema,
    })),
    ...fieldsOf(operation.query).map(([field, schema, required]) => ({
      name: field,
      in: 'query',
      required,
      schema,
    })),
  ];
  if (operation.right !== 'admin') {
    list.push({
      name: headers.namespace,
      in: 'header',
      description: 'The end user that the request acts for, percent-encoded.',
      schema: { type: 'string', maxLength: 3 * 4 * limits.namespaceLength },
    });
  }
  if (name === 'createRun' || name === 'signalRun') {
    list.push({
      name: headers.idempotencyKey,
      in: 'header',
      description: 'A repeat with the same key is the same request.',
      schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength },
    });
  }
  return list;
}

function fieldsOf(schema: z.ZodType | undefined): [string, unknown, boolean][] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

function errorResponse(codes: readonly ErrorCode[]): Json {
  return {
    description: `\`${codes.join('`, `')}\``,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

const jsonContent = (schema: z.ZodType): Json => ({
  'application/json': { schema: schemaOf(schema) },
});

/** As it is on the wire: what transforms make of it is a matter of this process. */
function schemaOf(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  // The document has one dialect, that of OpenAPI 3.1.
  delete json['$schema'];
  return json;
}
