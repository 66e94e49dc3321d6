import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import type { Position } from '../sandbox/types';

/** Places in the emitted code as places in the text that was sent. */
export class Positions {
  private map: TraceMap | undefined;

  constructor(private readonly source: string) {}

  /** Both from 1; `undefined` where the place is none of the script's. */
  original(at: Position | undefined): Position | undefined {
    if (!at) return undefined;
    this.map ??= new TraceMap(this.source);
    const found = originalPositionFor(this.map, { line: at.line, column: at.column - 1 });
    return found.line === null ? undefined : { line: found.line, column: found.column + 1 };
  }

  line(at: Position | undefined): number | undefined {
    return this.original(at)?.line;
  }
}
