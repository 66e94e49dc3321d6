/**
 * The wire contract of the HTTP API: schemas, error codes, limits. Used by the gateway and by this
 * package's client, and for people who write a client of their own.
 *
 * @module
 */
export { operations, headers, type Operation, type OperationName } from './api';
export { upcoming } from './upcoming';
export {
  approvalIdSchema,
  approvalSchema,
  approveBody,
  denyBody,
  listApprovalsQuery,
  type Approval,
} from './approval';
export { durationBetween, formatDuration, parseDuration, type Duration } from './duration';
export {
  diagnosticSchema,
  errorBodySchema,
  errorStatus,
  type Diagnostic,
  type ErrorBody,
  type ErrorCode,
} from './error-codes';
export { jsonSchema, jsonValue, utf8Bytes, type JsonSchema } from './json';
export {
  createKeyBody,
  createdKeySchema,
  keySchema,
  rights,
  type KeyObject,
  type Right,
} from './key';
export { hasLabels, labelsSchema, namespaceSchema, type Labels } from './labels';
export { defaults, limits } from './limits';
export { isPlainText, renderOutput } from './rendering';
export { pageOf, textPageSchema, type TextPage } from './page';
export {
  callStates,
  checkResultSchema,
  createRunBody,
  listRunsQuery,
  retryRunBody,
  runErrorSchema,
  runIdSchema,
  runSchema,
  runStates,
  toolErrorCodes,
  traceEntrySchema,
  waitSchema,
  type CallState,
  type CheckResult,
  type Run,
  type RunError,
  type RunState,
  type ToolErrorCode,
  type TraceEntry,
  type Wait,
} from './run';
export {
  mockSchema,
  testResultSchema,
  testScriptBody,
  type MissingMock,
  type Mock,
  type TestResult,
} from './script-test';
export { claimBody, taskSchema, type Task } from './task';
export {
  createToolsetBody,
  deriveToolsetBody,
  toolSpecSchema,
  toolsetIdSchema,
  toolsetSchema,
  type Policy,
  type ToolSpec,
  type ToolsetObject,
  type WorkflowRef,
} from './toolset';
export {
  listWorkflowsQuery,
  saveWorkflowBody,
  workflowNameSchema,
  workflowSchema,
  workflowSummarySchema,
  type Workflow,
  type WorkflowSummary,
} from './workflow';
