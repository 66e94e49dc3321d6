/** Opcodes of WebAssembly that metering reads or writes. */
export const OP = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  callIndirect: 0x11,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i64Const: 0x42,
  i64LtS: 0x53,
  i64Sub: 0x7d,
  i64ShrU: 0x88,
  i64OfU32: 0xad,
  /** The second half of the opcode follows. */
  prefix: 0xfc,
} as const;

/** What moves any amount of memory in one instruction, as `WasmReader.instruction` gives it. */
export const BULK = { copy: OP.prefix + 10, fill: OP.prefix + 11 } as const;

/** Reads a WebAssembly module byte by byte. */
export class WasmReader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error('the WebAssembly module ends too early');
    this.at += 1;
    return byte;
  }

  /** An unsigned number of at most 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Passes numbers of any size and sign. */
  skipNumbers(count: number): void {
    for (let left = count; left > 0; left -= 1) while (this.byte() >= 0x80);
  }

  skip(length: number): void {
    this.at += length;
  }

  /** Reads an opcode and passes what belongs to it. After `OP.prefix` gives the sum of both halves. */
  instruction(): number {
    const opcode = this.byte();
    if (opcode === OP.prefix) return OP.prefix + this.passPrefixed();
    this.passImmediates(opcode);
    return opcode;
  }

  // An instruction that is not known throws: it must not go unmetered.
  private passImmediates(opcode: number): void {
    if (opcode >= 0x45 && opcode <= 0xc4) return; // arithmetic
    if (opcode >= 0x28 && opcode <= 0x3e) return this.skipNumbers(2); // loads and stores
    switch (opcode) {
      case 0x00: // unreachable, nop
      case 0x01:
      case 0x05: // else, end
      case 0x0b:
      case 0x0f: // return
      case 0x1a: // drop, select
      case 0x1b:
      case 0xd1: // ref.is_null
        return;
      case 0x02: // block, loop, if: the type of the block
      case 0x03:
      case 0x04:
      case 0x0c: // br, br_if
      case 0x0d:
      case 0x10: // call
      case 0x20: // locals
      case 0x21:
      case 0x22:
      case 0x23: // globals
      case 0x24:
      case 0x25: // tables
      case 0x26:
      case 0x3f: // size of the memory
      case 0x40:
      case 0x41: // constants
      case 0x42:
      case 0xd0: // ref.null, ref.func
      case 0xd2:
        return this.skipNumbers(1);
      case 0x0e: // br_table
        return this.skipNumbers(this.u32() + 1);
      case 0x11: // call_indirect
        return this.skipNumbers(2);
      case 0x1c: // select with types
        return this.skipNumbers(this.u32());
      case 0x43: // f32.const
        return this.skip(4);
      case 0x44: // f64.const
        return this.skip(8);
      default:
        throw new Error(`the WebAssembly instruction 0x${opcode.toString(16)} is not known`);
    }
  }

  private passPrefixed(): number {
    const second = this.u32();
    const opcode = OP.prefix + second;
    if (opcode === BULK.copy) this.skip(2);
    else if (opcode === BULK.fill) this.skip(1);
    else if (second > 7) throw new Error(`the WebAssembly instruction 0xfc ${second} is not known`);
    return second; // 0 to 7: conversions that saturate
  }
}

/** Collects bytes. */
export class WasmWriter {
  private buffer: Uint8Array<ArrayBuffer>;
  private length = 0;

  constructor(capacity: number) {
    this.buffer = new Uint8Array(capacity);
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  put(byte: number): void {
    this.room(1);
    this.buffer[this.length++] = byte;
  }

  u32(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.put((rest & 0x7f) | 0x80);
    this.put(rest);
  }

  copy(bytes: Uint8Array | readonly number[]): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Bytes behind their length. */
  sized(bytes: Uint8Array): void {
    this.u32(bytes.length);
    this.copy(bytes);
  }

  private room(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = new Uint8Array((this.length + more) * 2);
    larger.set(this.written);
    this.buffer = larger;
  }
}
