import type { Diagnostic, JsonSchema, ToolSpec } from '../sdk/protocol';

/** What a script is checked against. */
export interface CheckScope {
  /** For the caches: equal ids mean equal content. */
  id: string;
  tools: Record<string, ToolSpec>;
  workflows: { name: string; input?: JsonSchema; output?: JsonSchema }[];
}

/** A script that may run. */
export interface CompiledScript {
  /** JavaScript for the sandbox (see `Program` there). */
  code: string;
  /** Source map version 3, as JSON text, from `code` to the text that was sent. */
  map: string;
}

export type CheckOutcome =
  { ok: true; script: CompiledScript; tools: string[] } | { ok: false; diagnostics: Diagnostic[] };

/** Why a toolset cannot be declared. */
export interface ToolProblem {
  tool: string;
  /** Where in the schema, as a JSON pointer; left out where the name is at fault. */
  path?: string;
  message: string;
}

/** Type-checks scripts in worker threads, each check under a time and a memory limit. */
export interface Checker {
  /** Names, schemas and what they lead to; empty means that it can be declared. */
  checkTools(tools: Record<string, ToolSpec>): Promise<ToolProblem[]>;
  check(script: string, scope: CheckScope): Promise<CheckOutcome>;
  /** The declarations that scripts are checked against. `names`: tool names or their first parts. */
  declarations(scope: CheckScope, names?: string[]): Promise<string>;
  close(): Promise<void>;
}
