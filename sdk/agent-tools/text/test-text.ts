import type { TestResult } from '../../protocol/script-test';
import { count } from './amounts';
import { callText, TRACE_CALLS, traceLine } from './calls';
import { visibleJson } from './escape';
import { failureLines } from './failure';
import { logLines } from './log';
import { outputLines } from './output';
import type { RunTextOptions } from './run-text';
import { waitLines } from './waits';

const MOCK_BYTES = 4_096;

/** What a script did with made-up answers. */
export function testText(result: TestResult, options: RunTextOptions): string {
  const { calls, missingMock } = result;
  const made = count(calls.length, 'call');
  const rest = [...callLines(result), ...logLines(result.log, options.logLines, undefined)];
  if (result.state === 'completed') {
    return [
      `Completed: test, no tool was really called, ${made}`,
      ...outputLines(result.output, undefined, 0, options.outputLimit),
      ...rest,
    ].join('\n');
  }
  if (result.state === 'waiting') {
    return [
      `Waiting: test, no tool was really called, ${made}`,
      ...waitLines({ waitingFor: result.waitingFor ?? [] }),
      ...rest,
    ].join('\n');
  }
  if (missingMock) {
    const at = missingMock.line === undefined ? '' : `, line ${missingMock.line}`;
    return [
      `Failed: test, call #${missingMock.seq} has no mock`,
      `Call: #${missingMock.seq}${at}, ${callText(missingMock)}`,
      `Add to mocks: ${mockText(missingMock)}`,
      ...rest,
    ].join('\n');
  }
  const failing = calls.find(({ seq }) => seq === result.error?.seq);
  const head = `Failed: test, no tool was really called, ${made}`;
  return [head, ...failureLines(result.error, failing), ...rest].join('\n');
}

function callLines({ calls }: TestResult): string[] {
  if (calls.length === 0) return [];
  const shown = calls.slice(-TRACE_CALLS);
  const head =
    shown.length === calls.length
      ? `Calls (${calls.length}):`
      : `Calls (last ${shown.length} of ${calls.length}):`;
  return [head, ...shown.map(traceLine)];
}

/** The arguments of a long call are left out: a mock without them answers it too. */
function mockText({ tool, input }: { tool: string; input: unknown }): string {
  const full = visibleJson(JSON.stringify({ tool, input, result: '<what it gives>' }));
  return full.length <= MOCK_BYTES
    ? full
    : visibleJson(JSON.stringify({ tool, result: '<what it gives>' }));
}
