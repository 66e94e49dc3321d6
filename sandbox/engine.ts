import { Intrinsics, QuickJS, type JSValueHandle } from 'quickjs-wasi';
import { defaultLimits } from './limits';
import { FUEL, meter } from './meter';
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

/** Compiles the engine, metered. */
export function compileEngine(bytes: Uint8Array): WebAssembly.Module {
  return new WebAssembly.Module(meter(bytes));
}

/**
 * Lets the engine's interpreter run for some milliseconds. That is what V8 takes to have it optimized,
 * beside everything else and within a second; until then scripts are four times as slow.
 */
export async function warmUp(wasm: WebAssembly.Module): Promise<void> {
  const options = { wasm, now: () => 0 };
  const vm = await createEngine(
    options,
    defaultLimits,
    () => false,
    () => undefined,
  );
  vm.evalCode('for (let i = 0; i < 20000; i++);');
  vm.dispose();
}

/** An engine without a host in sight: its clock is the caller's, its time zone is UTC. */
export function createEngine(
  options: Pick<SandboxOptions, 'wasm' | 'now'>,
  limits: SandboxLimits,
  onPoll: () => boolean,
  onRejection: (promise: JSValueHandle, reason: JSValueHandle, handled: boolean) => void,
): Promise<QuickJS> {
  return QuickJS.create({
    wasm: options.wasm,
    intrinsics,
    memoryLimit: limits.heapBytes,
    maxStackSize: limits.stackBytes,
    timezoneOffset: 0,
    interruptHandler: onPoll,
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

/** The engine's own count of what it may still do. */
export function fuelTank(vm: QuickJS): { value: bigint } {
  const tank = (vm._getExports() as unknown as Record<string, unknown>)[FUEL];
  if (!tank) throw new TypeError('the engine is not metered: compile it with compileEngine');
  return tank as { value: bigint };
}
