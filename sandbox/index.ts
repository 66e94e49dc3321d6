/** The sandbox that scripts run in: QuickJS with a narrow door. Knows nothing of what is behind it. */
export { runInProcess, type DriverAnswer, type DriverOptions, type DriverResult } from './driver';
export { compileEngine, warmUp } from './engine';
export { defaultLimits, limitMessage } from './limits';
export { createSandbox } from './sandbox';
export type {
  CallFailure,
  Engine,
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
