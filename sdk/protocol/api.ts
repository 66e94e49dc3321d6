import { z } from 'zod';
import { createKeyBody, createdKeySchema, keySchema, listKeysQuery, type Right } from './key';
import { pageOf, textPageSchema, textQuery, traceQuery } from './page';
import {
  cancelBody,
  checkResultSchema,
  checkScriptBody,
  createRunBody,
  listRunsQuery,
  retrieveRunQuery,
  runIdSchema,
  runSchema,
  signalBody,
  traceEntrySchema,
} from './run';
import {
  claimBody,
  claimResult,
  completeBody,
  deferBody,
  deferResult,
  failBody,
  heartbeatBody,
  heartbeatResult,
  leaveBody,
  okResult,
  releaseBody,
} from './task';
import { createToolsetBody, toolsetIdSchema, toolsetSchema } from './toolset';

/** One operation of the HTTP API: what the gateway validates, the client sends, and OpenAPI shows. */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** With `:name` for the parts of `params`. */
  path: string;
  summary: string;
  /** The right that the credential needs. */
  right: Right;
  status: 200 | 201 | 202;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response: z.ZodType;
}

const runParams = z.strictObject({ id: runIdSchema });
const toolsetParams = z.strictObject({ id: toolsetIdSchema });
const names = z.union([z.string(), z.array(z.string())]);

export const operations = {
  createToolset: {
    method: 'post',
    path: '/v1/toolsets',
    summary: 'Declare tools. The same content gives the same id.',
    right: 'run',
    status: 201,
    body: createToolsetBody,
    response: toolsetSchema,
  },
  retrieveToolset: {
    method: 'get',
    path: '/v1/toolsets/:id',
    summary: 'A toolset.',
    right: 'run',
    status: 200,
    params: toolsetParams,
    response: toolsetSchema,
  },
  declarations: {
    method: 'get',
    path: '/v1/toolsets/:id/declarations',
    summary: 'The TypeScript declarations that scripts of the toolset are checked against.',
    right: 'run',
    status: 200,
    params: toolsetParams,
    query: z.strictObject({
      name: names.transform((value) => (Array.isArray(value) ? value : [value])).optional(),
    }),
    response: z.object({ declarations: z.string() }),
  },
  checkScript: {
    method: 'post',
    path: '/v1/scripts/check',
    summary: 'Type-check a script. Nothing is run.',
    right: 'run',
    status: 200,
    body: checkScriptBody,
    response: checkResultSchema,
  },
  createRun: {
    method: 'post',
    path: '/v1/runs',
    summary: 'Check a script and start a run of it.',
    right: 'run',
    status: 201,
    body: createRunBody,
    response: runSchema,
  },
  listRuns: {
    method: 'get',
    path: '/v1/runs',
    summary: 'Runs, newest first.',
    right: 'run',
    status: 200,
    query: listRunsQuery,
    response: pageOf(runSchema),
  },
  retrieveRun: {
    method: 'get',
    path: '/v1/runs/:id',
    summary: 'A run. With `wait`, answers as soon as its state changes.',
    right: 'run',
    status: 200,
    params: runParams,
    query: retrieveRunQuery,
    response: runSchema,
  },
  runOutput: {
    method: 'get',
    path: '/v1/runs/:id/output',
    summary: 'A part of the output, as text.',
    right: 'run',
    status: 200,
    params: runParams,
    query: textQuery,
    response: textPageSchema,
  },
  runLog: {
    method: 'get',
    path: '/v1/runs/:id/log',
    summary: 'A part of the log.',
    right: 'run',
    status: 200,
    params: runParams,
    query: textQuery,
    response: textPageSchema,
  },
  runTrace: {
    method: 'get',
    path: '/v1/runs/:id/trace',
    summary: 'The calls of a run, in order.',
    right: 'run',
    status: 200,
    params: runParams,
    query: traceQuery,
    response: pageOf(traceEntrySchema),
  },
  signalRun: {
    method: 'post',
    path: '/v1/runs/:id/signals',
    summary: 'Send a signal to a run.',
    right: 'run',
    status: 202,
    params: runParams,
    body: signalBody,
    response: okResult,
  },
  cancelRun: {
    method: 'post',
    path: '/v1/runs/:id/cancel',
    summary: 'End a run now.',
    right: 'run',
    status: 200,
    params: runParams,
    body: cancelBody,
    response: runSchema,
  },
  claimTask: {
    method: 'post',
    path: '/v1/tasks/claim',
    summary: 'Wait for a call of one of the tools. At most one task.',
    right: 'claim',
    status: 200,
    body: claimBody,
    response: claimResult,
  },
  heartbeatTasks: {
    method: 'post',
    path: '/v1/tasks/heartbeat',
    summary: 'Keep claims alive. The first heartbeat of a claim acknowledges it.',
    right: 'claim',
    status: 200,
    body: heartbeatBody,
    response: heartbeatResult,
  },
  deferTask: {
    method: 'post',
    path: '/v1/tasks/defer',
    summary: 'Answer a claimed call later, by the token that this gives.',
    right: 'claim',
    status: 200,
    body: deferBody,
    response: deferResult,
  },
  releaseTask: {
    method: 'post',
    path: '/v1/tasks/release',
    summary: 'Give a claimed call back, not begun.',
    right: 'claim',
    status: 200,
    body: releaseBody,
    response: okResult,
  },
  completeTask: {
    method: 'post',
    path: '/v1/tasks/complete',
    summary: 'Answer a call, by the token of its claim or of its deferral.',
    right: 'answer',
    status: 200,
    body: completeBody,
    response: okResult,
  },
  failTask: {
    method: 'post',
    path: '/v1/tasks/fail',
    summary: 'Fail a call, by the token of its claim or of its deferral.',
    right: 'answer',
    status: 200,
    body: failBody,
    response: okResult,
  },
  leaveWorker: {
    method: 'post',
    path: '/v1/workers/leave',
    summary: 'A worker stops: its waiting claims end.',
    right: 'claim',
    status: 200,
    body: leaveBody,
    response: okResult,
  },
  createKey: {
    method: 'post',
    path: '/v1/keys',
    summary: 'Make an API key. It is shown once.',
    right: 'admin',
    status: 201,
    body: createKeyBody,
    response: createdKeySchema,
  },
  listKeys: {
    method: 'get',
    path: '/v1/keys',
    summary: 'The API keys, without the keys themselves.',
    right: 'admin',
    status: 200,
    query: listKeysQuery,
    response: pageOf(keySchema),
  },
  revokeKey: {
    method: 'delete',
    path: '/v1/keys/:id',
    summary: 'Revoke an API key, at once.',
    right: 'admin',
    status: 200,
    params: z.strictObject({ id: z.string().regex(/^key_[0-9a-z]{8,64}$/) }),
    response: okResult,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Headers that carry meaning. */
export const headers = {
  /** The end user a key's request acts for, percent-encoded. */
  namespace: 'rewind-namespace',
  idempotencyKey: 'idempotency-key',
  requestId: 'x-request-id',
} as const;
