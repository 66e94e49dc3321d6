/** The sandbox that scripts run in: QuickJS with a narrow door. Knows nothing of what is behind it. */
export { runInProcess, type DriverAnswer, type DriverOptions, type DriverResult } from './driver';
export { compileEngine, warmUp } from './engine';
export { defaultLimits, limitMessage } from './limits';
export { preludeCode } from './prelude-code';
export { createSandbox } from './sandbox';
export type {
  CallFailure,
  GuestCall,
  GuestEnd,
  GuestError,
  GuestScope,
  LogTail,
  Position,
  Program,
  Sandbox,
  SandboxLimits,
  SandboxOptions,
  Turn,
} from './types';
