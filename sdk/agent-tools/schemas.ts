import { z } from 'zod';
import { limits } from '../protocol/limits';
import { runStates } from '../protocol/run';
import type { AgentToolName } from './types';

const script = z.string().max(limits.scriptBytes).describe('The script: one TypeScript file.');
const runId = z.string().max(64).describe('The id of the run.');
const any = (text: string) => z.unknown().describe(text).optional();
const waitSeconds = (text: string) => z.int().min(0).max(60).describe(text).optional();
const outcomeWait = waitSeconds('How long to wait for the outcome. Default 20; 0 answers at once.');
const input = any('What the script sees as `input`.');
const signalName = z.string().min(1).max(limits.signalNameLength);

/** Arguments of each tool: what the model is told of them, and what they are read by. */
export const argumentSchemas = {
  run_script: z.strictObject({ script, input, wait_seconds: outcomeWait }),
  check_script: z.strictObject({ script }),
  test_script: z.strictObject({
    script,
    input,
    mocks: z
      .array(
        z.strictObject({
          tool: z.string(),
          input: any('Answer only calls with these arguments.'),
          result: any('What the call gives.'),
          error: z
            .strictObject({ message: z.string(), data: z.unknown().optional() })
            .describe('What the call fails with instead.')
            .optional(),
        }),
      )
      .max(limits.mocks)
      .describe('Made-up answers; those of a tool are used in order, and the last one repeats.')
      .optional(),
    signals: z
      .array(z.strictObject({ name: signalName, payload: z.unknown().optional() }))
      .max(limits.testSignals)
      .describe('What waitForSignal gives.')
      .optional(),
  }),
  get_run: z.strictObject({
    run_id: runId,
    part: z
      .enum(['output', 'trace', 'log', 'script'])
      .describe('Read only this. Default: the outcome.')
      .optional(),
    offset: z.int().min(0).describe('Where to read on, as the last result said.').optional(),
    wait_seconds: waitSeconds('Wait so long for a change before answering. Default 0.'),
  }),
  list_runs: z.strictObject({
    state: z.enum(runStates).optional(),
    limit: z.int().min(1).max(50).describe('Default 10.').optional(),
    cursor: z.string().max(4096).describe('As the last result said.').optional(),
  }),
  retry_run: z.strictObject({
    run_id: runId,
    script: z
      .string()
      .max(limits.scriptBytes)
      .describe('The corrected script. Left out: the same script.')
      .optional(),
    repeat_unknown: z
      .boolean()
      .describe(
        'Only if the failing call has an unknown outcome and you made sure that it did not happen: make it again.',
      )
      .optional(),
    wait_seconds: outcomeWait,
  }),
  signal_run: z.strictObject({
    run_id: runId,
    name: signalName.describe('The name that the script waits for.'),
    payload: any('What waitForSignal gives.'),
  }),
  cancel_run: z.strictObject({
    run_id: runId,
    reason: z.string().max(limits.reasonLength).optional(),
  }),
  save_workflow: z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
    description: z
      .string()
      .max(limits.workflowDescriptionLength)
      .describe('What it does, for those who write scripts.'),
    script,
    input_schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema of its input. Left out: anything.')
      .optional(),
    output_schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema of its output. Left out: any.')
      .optional(),
  }),
  list_workflows: z.strictObject({
    query: z.string().max(limits.queryLength).describe('Words to look for.').optional(),
  }),
  describe_tools: z.strictObject({
    names: z
      .array(z.string().describe('Tool name or its first part, e.g. crm.'))
      .max(50)
      .optional(),
    query: z.string().max(limits.queryLength).describe('Words to look for.').optional(),
  }),
} satisfies Record<AgentToolName, z.ZodType>;

/** Arguments of one tool, once they are read. */
export type Arguments<Name extends AgentToolName> = z.output<(typeof argumentSchemas)[Name]>;
