import { z } from 'zod';
import type { Operation } from './api';
import {
  approvalIdSchema,
  approvalSchema,
  approveBody,
  denyBody,
  listApprovalsQuery,
} from './approval';
import { pageOf, textPageSchema, textQuery } from './page';
import { retryRunBody, runIdSchema, runSchema } from './run';
import { testResultSchema, testScriptBody } from './script-test';
import { okResult } from './task';
import { deriveToolsetBody, toolsetIdSchema, toolsetSchema } from './toolset';
import {
  listWorkflowsQuery,
  retrieveWorkflowQuery,
  saveWorkflowBody,
  workflowNameSchema,
  workflowSchema,
  workflowSummarySchema,
} from './workflow';

const runParams = z.strictObject({ id: runIdSchema });
const approvalParams = z.strictObject({ id: approvalIdSchema });
const workflowParams = z.strictObject({ name: workflowNameSchema });

/**
 * Operations that the client knows and the gateway does not serve yet. One that is served moves to
 * `operations`, and so into the routes, the OpenAPI document and the list of the HTTP API.
 */
export const upcoming = {
  testScript: {
    method: 'post',
    path: '/v1/scripts/test',
    summary: 'Run a script with made-up answers. No tool is called and nothing is kept.',
    right: 'run',
    status: 200,
    body: testScriptBody,
    response: testResultSchema,
  },
  retryRun: {
    method: 'post',
    path: '/v1/runs/:id/retry',
    summary: 'Run an ended run again; what it finished is answered from its record.',
    right: 'run',
    status: 201,
    params: runParams,
    body: retryRunBody,
    response: runSchema,
  },
  runScript: {
    method: 'get',
    path: '/v1/runs/:id/script',
    summary: 'A part of the script, as it was sent.',
    right: 'run',
    status: 200,
    params: runParams,
    query: textQuery,
    response: textPageSchema,
  },
  deriveToolset: {
    method: 'post',
    path: '/v1/toolsets/:id/derive',
    summary: 'The same tools with pinned workflows. The same content gives the same id.',
    right: 'run',
    status: 201,
    params: z.strictObject({ id: toolsetIdSchema }),
    body: deriveToolsetBody,
    response: toolsetSchema,
  },
  listApprovals: {
    method: 'get',
    path: '/v1/approvals',
    summary: 'Calls that wait for a person, oldest first.',
    right: 'approve',
    status: 200,
    query: listApprovalsQuery,
    response: pageOf(approvalSchema),
  },
  approveCall: {
    method: 'post',
    path: '/v1/approvals/:id/approve',
    summary: 'Let the call be made.',
    right: 'approve',
    status: 200,
    params: approvalParams,
    body: approveBody,
    response: okResult,
  },
  denyCall: {
    method: 'post',
    path: '/v1/approvals/:id/deny',
    summary: 'Refuse the call: the script gets an error.',
    right: 'approve',
    status: 200,
    params: approvalParams,
    body: denyBody,
    response: okResult,
  },
  saveWorkflow: {
    method: 'post',
    path: '/v1/workflows',
    summary: 'Check a script and save it under a name. The same content gives the same version.',
    right: 'run',
    status: 201,
    body: saveWorkflowBody,
    response: workflowSchema,
  },
  listWorkflows: {
    method: 'get',
    path: '/v1/workflows',
    summary: 'Saved workflows, by name.',
    right: 'run',
    status: 200,
    query: listWorkflowsQuery,
    response: pageOf(workflowSummarySchema),
  },
  retrieveWorkflow: {
    method: 'get',
    path: '/v1/workflows/:name',
    summary: 'A saved workflow, with its script.',
    right: 'run',
    status: 200,
    params: workflowParams,
    query: retrieveWorkflowQuery,
    response: workflowSchema,
  },
  deleteWorkflow: {
    method: 'delete',
    path: '/v1/workflows/:name',
    summary: 'Forget a name. Pinned versions go on working.',
    right: 'run',
    status: 200,
    params: workflowParams,
    response: okResult,
  },
} as const satisfies Record<string, Operation>;
