import type { RunError, TraceEntry } from '../../protocol/run';
import { className, frameLines, quotedWithin, word } from './escape';
import { callText } from './calls';
import { literal } from './values';

const MESSAGE_BYTES = 4 * 1024;

/** What ended a run or a test: the error, its place, and the call that failed. */
export function failureLines(error: RunError | undefined, call: TraceEntry | undefined): string[] {
  if (!error) return ['Error: not known'];
  const code = error.code === undefined || error.code === 'limit' ? [] : [`code ${error.code}`];
  const limit = error.limit === undefined ? '' : ` ${word(error.limit)}`;
  const head = [
    error.code === 'limit' ? `limit${limit}` : className(error.name),
    ...code,
    ...(error.line === undefined ? [] : [`line ${error.line}`]),
    ...(error.column === undefined ? [] : [`column ${error.column}`]),
  ];
  return [
    `Error: ${head.join(', ')}`,
    ...quotedWithin(error.message, MESSAGE_BYTES),
    ...(error.data === undefined || error.data === null ? [] : [`Data: ${literal(error.data)}`]),
    ...(error.frame === undefined ? [] : frameLines(error.frame)),
    ...failingCall(error, call),
  ];
}

function failingCall({ seq, outcomeUnknown, code }: RunError, call?: TraceEntry): string[] {
  if (seq === undefined) return ['Failing call: none'];
  const lines = [`Failing call: #${seq}${call ? ` ${callText(call)}` : ''}`];
  if (outcomeUnknown || code === 'outcome_unknown') {
    lines.push(
      `Outcome unknown: the worker was lost while it ran call #${seq}; it may have happened. ` +
        'Find out before you make it again.',
    );
  }
  return lines;
}
