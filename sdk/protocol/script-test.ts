import { z } from 'zod';
import { jsonValue } from './json';
import { limits } from './limits';
import { runErrorSchema, traceEntrySchema, waitSchema } from './run';
import type { RunError, TraceEntry, Wait } from './run';
import { toolsetIdSchema } from './toolset';

/** A made-up answer to calls of one tool. With `input`, only to calls with these arguments. */
export interface Mock {
  tool: string;
  input?: unknown;
  /** What the call gives; left out, null. */
  result?: unknown;
  /** What the call fails with instead, as a `ToolError` of code `failed`. */
  error?: { message: string; data?: unknown };
}

/** A call that no mock answers: it ended the test. */
export interface MissingMock {
  seq: number;
  tool: string;
  input: unknown;
  line?: number;
}

/** What a script did with made-up answers. Nothing of it is kept. */
export interface TestResult {
  state: 'completed' | 'failed' | 'waiting';
  output?: unknown;
  error?: RunError;
  calls: TraceEntry[];
  log: string;
  /** When `state` is `waiting`: what no mock or signal of the test will ever bring. */
  waitingFor?: Wait[];
  /** When `state` is `failed` for that reason. */
  missingMock?: MissingMock;
}

export const mockSchema: z.ZodType<Mock> = z.strictObject({
  tool: z.string().min(1).max(limits.toolNameLength),
  input: jsonValue.exactOptional(),
  result: jsonValue.exactOptional(),
  error: z.strictObject({ message: z.string(), data: jsonValue.exactOptional() }).exactOptional(),
});

export const testScriptBody = z.strictObject({
  script: z.string(),
  toolset: toolsetIdSchema,
  input: jsonValue.exactOptional(),
  mocks: z.array(mockSchema).max(limits.mocks).exactOptional(),
  signals: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(limits.signalNameLength),
        payload: jsonValue.exactOptional(),
      }),
    )
    .max(limits.testSignals)
    .exactOptional(),
});

export const testResultSchema: z.ZodType<TestResult> = z.object({
  state: z.enum(['completed', 'failed', 'waiting']),
  output: jsonValue.exactOptional(),
  error: runErrorSchema.exactOptional(),
  calls: z.array(traceEntrySchema),
  log: z.string(),
  waitingFor: z.array(waitSchema).exactOptional(),
  missingMock: z
    .object({
      seq: z.int(),
      tool: z.string(),
      input: jsonValue,
      line: z.int().exactOptional(),
    })
    .exactOptional(),
});
