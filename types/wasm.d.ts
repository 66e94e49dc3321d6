/** The bundler gives the bytes of a WebAssembly file (`asset/bytes`). */
declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
