import type { GuestError, SandboxLimits } from './types';

const MiB = 1024 * 1024;

/**
 * Measured on a small machine, the engine takes 2.5 to 8 units of fuel in a nanosecond, mostly 4 to
 * 5: a turn's fuel is 0.6 s of ordinary code and 1.1 s of the slowest, and 13 million turns of an
 * empty loop.
 */
export const defaultLimits: SandboxLimits = {
  heapBytes: 64 * MiB,
  stackBytes: 512 * 1024,
  fuelPerTurn: 2_800_000_000,
  fuelPerRun: 240_000_000_000,
  logBytes: 64 * 1024,
  outputBytes: 1 * MiB,
  argumentsBytes: 1 * MiB,
  openBytes: 64 * MiB,
};

/** What a run is told that passed a limit: which one, its true size, and what to do. */
export function limitMessage(
  limit: NonNullable<GuestError['limit']>,
  limits: SandboxLimits,
  whole = false,
): string {
  switch (limit) {
    case 'cpu':
      return whole
        ? 'stopped after about 60 s of computing in all'
        : 'stopped after about 0.7 s of computing without a wait; to wait, use sleep()';
    case 'memory':
      return `stopped: the script needs more than ${limits.heapBytes / MiB} MiB of memory`;
    case 'stack':
      return `the calls are nested too deep for ${limits.stackBytes / 1024} KiB of stack`;
    case 'output':
      return `the output is larger than ${limits.outputBytes} bytes of JSON`;
    case 'arguments':
      return `the argument is larger than ${limits.argumentsBytes} bytes of JSON`;
  }
}
