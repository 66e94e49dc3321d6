/**
 * Loaded once for each workflow thread, before any run, with all that it imports: what is not, each
 * run loads anew, and the schemas of the protocol alone take longer than all the rest of a short run.
 * Nothing of it may keep state. Compiles the engine, and makes
 * `WebAssembly.instantiate` answer within the activation (the real one settles outside of it, where
 * the run would no longer be asked).
 */
import '@cfworker/json-schema';
import '@jridgewell/trace-mapping';
import 'quickjs-wasi';
import bytes from 'quickjs-wasi/quickjs.wasm';
import { compileEngine, warmUp } from '../sandbox';
import '../sdk/protocol';

WebAssembly.instantiate = (module, imports) =>
  Promise.resolve(new WebAssembly.Instance(module, imports));

/** The compiled engine, shared by all runs of the thread. Holds no state of any run. */
export const engine = compileEngine(bytes);

// A thread that cannot do this cannot run a script either, which then says why.
warmUp(engine).catch(() => undefined);
