import {
  BadRequestError,
  ConflictError,
  NamespaceRequiredError,
  QuotaError,
  RunEndedError,
  ScriptRefusedError,
  TooLargeError,
} from '../errors/errors';
import { runIdText, visible, word } from './text/escape';
import { refusalText } from './text/refusal';
import { literal, nextCall } from './text/values';

/** Fields of requests that hold what the model gave; all others are the harness's. */
const ofTheModel =
  /^(script|input|output|mocks|signals|name|payload|reason|description|cursor|limit|repeatUnknown)\b/;

/** The text for a mistake that the model can mend; undefined for faults of the platform or the harness. */
export function mistakeText(error: unknown, tool: string): string | undefined {
  if (ScriptRefusedError.isInstance(error)) return refusalText(error.diagnostics, tool);
  if (QuotaError.isInstance(error)) {
    if (error.quota !== 'runs') return `Error: quota reached, ${error.limit} ${word(error.quota)}`;
    const next = nextCall('list_runs', { state: 'waiting' });
    return `Error: quota reached, ${error.limit} unfinished runs. Next: ${next}`;
  }
  if (RunEndedError.isInstance(error)) {
    const run = error.runId === undefined ? 'the run' : runIdText(error.runId);
    return `Error: ${run} has ended`;
  }
  if (ConflictError.isInstance(error)) {
    if (error.code !== 'idempotency_conflict') return `Error: ${oneLine(error.message)}`;
    const run = error.runId === undefined ? 'a run' : runIdText(error.runId);
    return tool === 'signal_run'
      ? `Error: this tool call id has already sent a signal to ${run} with other arguments; nothing was sent`
      : `Error: this tool call id has already started ${run} with other arguments; nothing was started`;
  }
  if (TooLargeError.isInstance(error)) return `Error: ${oneLine(error.message)}`;
  if (NamespaceRequiredError.isInstance(error)) return undefined;
  if (BadRequestError.isInstance(error)) {
    return ofTheModel.test(error.field ?? '') ? `Error: ${oneLine(error.message)}` : undefined;
  }
  return undefined;
}

/** A message of the server on one line of ours; where it holds anything else, as a literal. */
function oneLine(message: string): string {
  const short = message.length > 1_000 ? `${message.slice(0, 1_000).toWellFormed()}…` : message;
  return short.includes('\n') || visible(short) !== short ? literal(short) : short;
}
