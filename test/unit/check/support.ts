import { readFileSync } from 'node:fs';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import type { CheckOutcome, CheckScope, CompiledScript } from '../../../check';
import { check } from '../../../check/check-thread';
import {
  compileEngine,
  runInProcess,
  type DriverAnswer,
  type GuestCall,
  type Position,
} from '../../../sandbox';
import type { Diagnostic, ToolSpec } from '../../../sdk/protocol';

const engine = compileEngine(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));

export const closed = (
  properties: Record<string, unknown>,
  required = Object.keys(properties),
) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const text = { type: 'string' };

export const tools: Record<string, ToolSpec> = {
  'crm.find_customer': {
    description: 'Find a customer by email.',
    input: closed({ email: text }),
    output: closed({ id: text, name: text, email: text }),
  },
  ask_user: {
    description: 'Ask the end user.',
    input: closed({ question: text }),
    policy: 'at_most_once',
  },
  'mail.send': {
    description: 'Send.',
    input: closed({ to: text, template: text }),
    output: closed({ id: text }),
  },
  'get-weather': { description: 'Weather.', input: closed({ city: text }, []) },
};

export const scope: CheckScope = { id: 'ts_test', tools, workflows: [] };

let scopes = 0;
/** A scope with one tool, `try_it`, of this input (and output). */
export function scopeOf(
  input: Record<string, unknown>,
  output?: Record<string, unknown>,
): CheckScope {
  scopes += 1;
  return {
    id: `ts_${scopes}`,
    tools: { try_it: { description: '', input, ...(output ? { output } : {}) } },
    workflows: [],
  };
}

export function outcome(script: string, of = scope): CheckOutcome {
  return check({ script, scope: of });
}

export function diagnostics(script: string, of = scope): Diagnostic[] {
  const result = outcome(script, of);
  return result.ok ? [] : result.diagnostics;
}

export function compiled(script: string, of = scope): CompiledScript {
  const result = outcome(script, of);
  if (!result.ok)
    throw new Error(
      result.diagnostics.map(({ line, code, message }) => `${line} ${code} ${message}`).join('\n'),
    );
  return result.script;
}

/** Runs a checked script in the sandbox; places come back as places in the text that was sent. */
export async function run(
  script: string,
  { input, answer }: { input?: unknown; answer?: (call: GuestCall) => DriverAnswer } = {},
) {
  const { code, map } = compiled(script);
  const result = await runInProcess({
    engine,
    program: { code },
    scope: {
      tools: Object.keys(tools),
      workflows: [],
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      run: { id: 'run_1', namespace: 'ada', labels: {}, startedAt: '' },
    },
    now: () => 0,
    seed: '0'.repeat(32),
    answer:
      answer ?? ((call) => (call.kind === 'tool' ? { ok: true, json: call.json } : { ok: true })),
  });
  const source = new TraceMap(map);
  const original = (at: Position | undefined) => {
    if (!at) return undefined;
    const { line, column } = originalPositionFor(source, { line: at.line, column: at.column - 1 });
    return line === null ? undefined : { line, column: column + 1 };
  };
  const { end, calls } = result;
  return {
    output: end.ok ? (JSON.parse(end.json) as unknown) : undefined,
    error: end.ok ? undefined : end.error,
    at: end.ok ? undefined : end.error.frames.map(original).find(Boolean),
    calls: calls.map((call) => ({ ...call, at: original(call.at) })),
  };
}
