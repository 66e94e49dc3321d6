import type { GuestError, SandboxLimits } from './types';

const MiB = 1024 * 1024;

/**
 * Fuel is counted in interrupt ticks, one for about 10,000 loop turns or calls. Measured on a small
 * machine, 200 ticks take 0.1 s (arithmetic) to 2.5 s (code that allocates all the time), 0.7 s of
 * ordinary code: 2 million loop turns between two waits.
 */
export const defaultLimits: SandboxLimits = {
  heapBytes: 64 * MiB,
  stackBytes: 512 * 1024,
  ticksPerTurn: 200,
  ticksPerRun: 17_000,
  logBytes: 64 * 1024,
  outputBytes: 1 * MiB,
  argumentsBytes: 1 * MiB,
  openBytes: 128 * MiB,
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
