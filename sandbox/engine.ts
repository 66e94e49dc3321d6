import { Intrinsics, QuickJS, type JSValueHandle } from 'quickjs-wasi';
import { defaultLimits } from './limits';
import { FUEL, meter } from './meter';
import { prelude } from './prelude';
import type { Engine, SandboxLimits } from './types';

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

interface EngineOptions {
  wasm: WebAssembly.Module;
  now: () => number;
  limits: SandboxLimits;
  onPoll: () => boolean;
  onRejection: (promise: JSValueHandle, reason: JSValueHandle, handled: boolean) => void;
}

/** Of an engine without a guest. */
const idle: Omit<EngineOptions, 'wasm'> = {
  now: () => 0,
  limits: defaultLimits,
  onPoll: () => false,
  onRejection: () => undefined,
};

/** Compiles the engine, metered, and by it the prelude. */
export function compileEngine(bytes: Uint8Array): Engine {
  const wasm = new WebAssembly.Module(meter(bytes));
  const compiled = compilePrelude(wasm);
  // Every guest is told of it.
  compiled.catch(() => undefined);
  return { wasm, prelude: () => compiled };
}

async function compilePrelude(wasm: WebAssembly.Module): Promise<Uint8Array> {
  const vm = await createEngine({ wasm, ...idle });
  const code = vm.compile(prelude, 'prelude.js');
  vm.dispose();
  return code;
}

/**
 * Lets the engine's interpreter run for some milliseconds. That is what V8 takes to have it optimized,
 * beside everything else and within a second; until then scripts are four times as slow.
 */
export async function warmUp({ wasm }: Engine): Promise<void> {
  const vm = await createEngine({ wasm, ...idle });
  vm.evalCode('for (let i = 0; i < 20000; i++);');
  vm.dispose();
}

/** An engine without a host in sight: its clock is the caller's, its time zone is UTC. */
export function createEngine({
  wasm,
  now,
  limits,
  onPoll,
  onRejection,
}: EngineOptions): Promise<QuickJS> {
  return QuickJS.create({
    wasm,
    intrinsics,
    memoryLimit: limits.heapBytes,
    maxStackSize: limits.stackBytes,
    timezoneOffset: 0,
    interruptHandler: onPoll,
    onUnhandledRejection: onRejection,
    wasi: (memory: { buffer: ArrayBuffer }) => ({
      clock_time_get: (_id: number, _precision: bigint, at: number) => {
        const nanoseconds = BigInt(Math.trunc(now())) * 1_000_000n;
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
