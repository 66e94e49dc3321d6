import { createEngine } from './engine';
import { defaultLimits } from './limits';
import { prelude } from './prelude';

/** Of each engine that was compiled: written once, the same whoever writes it, and only read after. */
const codes = new WeakMap<WebAssembly.Module, Uint8Array>();

/**
 * The prelude as the engine's own code. To read its text would take a new guest longer than all the
 * rest of its making.
 */
export async function preludeCode(wasm: WebAssembly.Module): Promise<Uint8Array> {
  const known = codes.get(wasm);
  if (known) return known;
  const vm = await createEngine(
    { wasm, now: () => 0 },
    defaultLimits,
    () => false,
    () => undefined,
  );
  const code = vm.compile(prelude, 'prelude.js');
  vm.dispose();
  codes.set(wasm, code);
  return code;
}
