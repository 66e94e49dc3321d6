import { Intrinsics, QuickJS, type JSValueHandle } from 'quickjs-wasi';
import type { SandboxLimits, SandboxOptions } from './types';

/** What no script may have, so that the engine need not even make it. */
const intrinsics =
  (Intrinsics.ALL &
    ~(
      Intrinsics.WEAK_REF |
      Intrinsics.PERFORMANCE |
      Intrinsics.DOM_EXCEPTION |
      Intrinsics.ATOB_BTOA |
      Intrinsics.BIG_INT
    )) >>>
  0;

/** Counts what a guest may compute. Ticks, never time: a replay must stop at the same place. */
export class Fuel {
  /** Which budget is used up, if any. Never taken back: the guest is not run again. */
  exhausted: 'turn' | 'run' | undefined;
  private turn = 0;
  private total = 0;

  constructor(private readonly limits: SandboxLimits) {}

  newTurn(): void {
    this.turn = 0;
  }

  /** True: stop the guest. */
  tick(): boolean {
    this.turn += 1;
    this.total += 1;
    if (this.turn > this.limits.ticksPerTurn) this.exhausted ??= 'turn';
    if (this.total > this.limits.ticksPerRun) this.exhausted ??= 'run';
    return this.exhausted !== undefined;
  }
}

/** An engine without a host in sight: its clock is the caller's, its time zone is UTC. */
export function createEngine(
  options: SandboxOptions,
  limits: SandboxLimits,
  fuel: Fuel,
  onRejection: (promise: JSValueHandle, reason: JSValueHandle, handled: boolean) => void,
): Promise<QuickJS> {
  return QuickJS.create({
    wasm: options.wasm,
    intrinsics,
    memoryLimit: limits.heapBytes,
    maxStackSize: limits.stackBytes,
    timezoneOffset: 0,
    interruptHandler: () => fuel.tick(),
    onUnhandledRejection: onRejection,
    wasi: (memory: { buffer: ArrayBuffer }) => ({
      clock_time_get: (_id: number, _precision: bigint, at: number) => {
        const nanoseconds = BigInt(Math.trunc(options.now())) * 1_000_000n;
        new DataView(memory.buffer).setBigUint64(at, nanoseconds, true);
        return 0;
      },
      // The engine asks for randomness only to seed tables; the guest's own comes from the seed.
      random_get: (at: number, length: number) => {
        new Uint8Array(memory.buffer, at, length).fill(0);
        return 0;
      },
      fd_write: () => 0,
    }),
  });
}
