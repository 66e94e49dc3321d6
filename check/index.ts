export { createChecker, type CheckerOptions } from './checker';
export { codeFrame } from './code-frame';
export type { CheckOutcome, CheckScope, Checker, CompiledScript, ToolProblem } from './types';
