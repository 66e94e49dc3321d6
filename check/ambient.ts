/** The module "rewind" as scripts see it. */
export const rewindModule = `
export type Duration = \`\${number}\${'ms' | 's' | 'm' | 'h' | 'd'}\`;
export type ToolErrorCode = 'failed' | 'denied' | 'timed_out' | 'outcome_unknown' | 'attempts_exhausted' | 'invalid_arguments' | 'invalid_result';
/** A call failed. */
export declare class ToolError extends Error {
  constructor(message: string);
  readonly tool: string;
  readonly seq: number;
  readonly data: unknown;
  readonly code: ToolErrorCode;
  /** The call may have happened. */
  readonly outcomeUnknown: boolean;
}
export declare const input: any;
export declare const run: { readonly id: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>>; readonly startedAt: string };
export declare function sleep(duration: Duration): Promise<void>;
export declare function waitForSignal<T = any>(name: string, options?: { timeout?: Duration }): Promise<T | undefined>;
export declare const console: { log(...values: unknown[]): void; info(...values: unknown[]): void; debug(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void };
export declare const tools: __RewindTools;
export declare const workflows: __RewindWorkflows;
`;

/** The same names in scope without an import. */
export const rewindGlobals = `
import * as rewind from 'rewind';
declare global {
  const input: typeof rewind.input;
  const run: typeof rewind.run;
  const sleep: typeof rewind.sleep;
  const waitForSignal: typeof rewind.waitForSignal;
  const console: typeof rewind.console;
  const tools: typeof rewind.tools;
  const workflows: typeof rewind.workflows;
  const ToolError: typeof rewind.ToolError;
  type ToolError = rewind.ToolError;
}
`;

/** Names that tools cannot have, since scripts have them already. */
export const scopeNames = [
  'input',
  'run',
  'sleep',
  'waitForSignal',
  'workflows',
  'ToolError',
  'tools',
  'console',
  'rewind',
] as const;
