/** The part of WebAssembly that we touch: the "dom" library that declares it would bring `window` along. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports?: unknown);
    readonly exports: Record<string, unknown>;
  }
  function instantiate(module: Module, imports?: unknown): Promise<Instance>;
}
