import { BULK, OP, WasmReader, WasmWriter } from './wasm-code';

/** Name under which a metered module exports its fuel, a mutable i64. */
export const FUEL = 'fuel';

const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;
const I32 = 0x7f;
const I64 = 0x7e;
const EMPTY = 0x40;
const FUNCTION_TYPE = 0x60;

/**
 * The most that one entry of a function or turn of a loop costs, whatever its length: of a long
 * body, as the interpreter's, one branch is run.
 */
const COST_CAP = 16;
/** Moving memory costs 1 for so many bytes, as a power of two. */
const BULK_SHIFT = 2;

/**
 * Makes a WebAssembly module count what it does: each entry of a function that calls others, each
 * turn of a loop and each move of memory takes from the exported fuel about as much as it runs
 * instructions, and traps when none is left. Nothing can run for long without passing one of these,
 * and the count depends on nothing but what is run.
 */
export function meter(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Meter(bytes).run();
}

/** A place in a function's body where code is put in, or put instead of an instruction. */
interface Edit {
  at: number;
  /** Length of what is left out. */
  drop: number;
  put: { loop: Region } | { call: number };
}

/** A loop or the rest of a function, without the loops inside. */
interface Region {
  instructions: number;
}

class Meter {
  private readonly reader: WasmReader;
  private readonly out: WasmWriter;
  private readonly section: WasmWriter;
  private readonly body = new WasmWriter(1 << 17);
  /** Number of parameters, by type. */
  private readonly parameters: number[] = [];
  /** Type of the helpers: three i32, no result. */
  private bulkType = -1;
  private imported = 0;
  /** By function, imported ones left out. */
  private readonly typeOf: number[] = [];
  private fuel = -1;

  constructor(private readonly bytes: Uint8Array) {
    this.reader = new WasmReader(bytes);
    this.out = new WasmWriter(bytes.length * 2);
    this.section = new WasmWriter(bytes.length * 2);
  }

  run(): Uint8Array<ArrayBuffer> {
    const { reader, out, bytes } = this;
    reader.skip(8);
    out.copy(bytes.subarray(0, reader.at));
    let code = false;
    while (reader.at < bytes.length) {
      const id = reader.byte();
      const end = reader.u32() + reader.at;
      this.section.clear();
      this.rewrite(id, end);
      out.put(id);
      out.sized(this.section.written);
      reader.at = end;
      code ||= id === SECTION.code;
    }
    if (!code) throw new Error('the WebAssembly module has no code');
    return out.written;
  }

  private rewrite(id: number, end: number): void {
    const start = this.reader.at;
    switch (id) {
      case SECTION.type:
        this.readTypes();
        return this.section.copy(this.bytes.subarray(start, end));
      case SECTION.import:
        this.readImports();
        return this.section.copy(this.bytes.subarray(start, end));
      case SECTION.function:
        return this.addFunctions(end);
      case SECTION.global:
        this.fuel = this.extend(1, end);
        // Full until somebody sets it: 2 ** 55, years.
        this.section.copy([I64, 1, OP.i64Const]);
        this.section.copy([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00]);
        return this.section.put(OP.end);
      case SECTION.export:
        this.extend(1, end);
        this.section.sized(Uint8Array.from(FUEL, (letter) => letter.charCodeAt(0)));
        this.section.put(3);
        return this.section.u32(this.fuel);
      case SECTION.code:
        return this.meterCode();
      default:
        return this.section.copy(this.bytes.subarray(start, end));
    }
  }

  private readTypes(): void {
    const { reader } = this;
    const count = reader.u32();
    for (let type = 0; type < count; type += 1) {
      if (reader.byte() !== FUNCTION_TYPE) throw new Error('a WebAssembly type is not known');
      const parameters = Array.from({ length: reader.u32() }, () => reader.byte());
      const results = reader.u32();
      reader.skip(results);
      this.parameters.push(parameters.length);
      if (results === 0 && String(parameters) === String([I32, I32, I32])) this.bulkType = type;
    }
    if (this.bulkType < 0) throw new Error('the WebAssembly module lacks a type');
  }

  private readImports(): void {
    const { reader } = this;
    this.imported = reader.u32();
    for (let left = this.imported; left > 0; left -= 1) {
      reader.skip(reader.u32());
      reader.skip(reader.u32());
      if (reader.byte() !== 0) throw new Error('the WebAssembly module imports no function');
      reader.u32();
    }
  }

  private addFunctions(end: number): void {
    const { reader } = this;
    const start = reader.at;
    const count = reader.u32();
    for (let left = count; left > 0; left -= 1) this.typeOf.push(reader.u32());
    reader.at = start;
    this.extend(2, end);
    this.section.u32(this.bulkType);
    this.section.u32(this.bulkType);
  }

  /** Copies a list to which `more` will be added. Gives its length before. */
  private extend(more: number, end: number): number {
    const count = this.reader.u32();
    this.section.u32(count + more);
    this.section.copy(this.bytes.subarray(this.reader.at, end));
    return count;
  }

  private meterCode(): void {
    const { reader, section } = this;
    if (this.fuel < 0) throw new Error('the WebAssembly module has no globals');
    const count = reader.u32();
    section.u32(count + 2);
    for (let index = 0; index < count; index += 1) {
      this.body.clear();
      this.meterFunction(index, this.imported + count);
      section.sized(this.body.written);
    }
    for (const opcode of [BULK.copy, BULK.fill]) {
      this.body.clear();
      this.writeHelper(opcode);
      section.sized(this.body.written);
    }
  }

  private meterFunction(index: number, helpers: number): void {
    const { reader, body, bytes } = this;
    const end = reader.u32() + reader.at;
    const groups = reader.u32();
    const localsAt = reader.at;
    let local = this.parameters[this.typeOf[index] ?? -1] ?? 0;
    for (let left = groups; left > 0; left -= 1) {
      local += reader.u32();
      reader.byte();
    }
    body.u32(groups + 1);
    body.copy(bytes.subarray(localsAt, reader.at));
    body.put(1);
    body.put(I64);

    let from = reader.at;
    const { edits, whole, calls } = this.survey(end, helpers);
    // What neither calls nor turns is paid by its caller.
    if (calls) this.charge(whole, local);
    for (const { at, drop, put } of edits) {
      body.copy(bytes.subarray(from, at));
      from = at + drop;
      if ('loop' in put) {
        this.charge(put.loop, local);
      } else {
        body.put(OP.call);
        body.u32(put.call);
      }
    }
    body.copy(bytes.subarray(from, end));
  }

  /** Finds what is to be charged in a function. */
  private survey(end: number, helpers: number): { edits: Edit[]; whole: Region; calls: boolean } {
    const { reader } = this;
    const whole: Region = { instructions: 0 };
    const edits: Edit[] = [];
    const nesting = [whole];
    let calls = false;
    while (reader.at < end) {
      const at = reader.at;
      const opcode = reader.instruction();
      const region = nesting.at(-1);
      if (!region) throw new Error('a WebAssembly function goes on behind its end');
      region.instructions += 1;
      if (opcode === OP.block || opcode === OP.if) nesting.push(region);
      else if (opcode === OP.end) nesting.pop();
      else if (opcode === OP.call || opcode === OP.callIndirect) calls = true;
      else if (opcode === OP.loop) {
        const loop: Region = { instructions: 0 };
        nesting.push(loop);
        edits.push({ at: reader.at, drop: 0, put: { loop } });
      } else if (opcode === BULK.copy || opcode === BULK.fill) {
        const call = opcode === BULK.copy ? helpers : helpers + 1;
        edits.push({ at, drop: reader.at - at, put: { call } });
      }
    }
    return { edits, whole, calls };
  }

  private charge({ instructions }: Region, local: number): void {
    const { body, fuel } = this;
    body.put(OP.globalGet);
    body.u32(fuel);
    body.put(OP.i64Const);
    body.put(Math.min(Math.max(instructions, 1), COST_CAP));
    this.take(local);
  }

  /** Takes the number on the stack from the one below, which is the fuel; traps below zero. */
  private take(local: number): void {
    const { body, fuel } = this;
    body.copy([OP.i64Sub, OP.localTee]);
    body.u32(local);
    body.put(OP.globalSet);
    body.u32(fuel);
    body.put(OP.localGet);
    body.u32(local);
    body.copy([OP.i64Const, 0, OP.i64LtS, OP.if, EMPTY, OP.unreachable, OP.end]);
  }

  /** A function that does what the instruction does, and charges the length. */
  private writeHelper(opcode: number): void {
    const { body, fuel } = this;
    body.copy([1, 1, I64, OP.globalGet]);
    body.u32(fuel);
    body.copy([OP.localGet, 2, OP.i64OfU32, OP.i64Const, BULK_SHIFT, OP.i64ShrU]);
    this.take(3);
    body.copy([OP.localGet, 0, OP.localGet, 1, OP.localGet, 2, OP.prefix, opcode - OP.prefix]);
    body.copy(opcode === BULK.copy ? [0, 0, OP.end] : [0, OP.end]);
  }
}
