/** A place in the text that was sent; both from 1. */
export interface Place {
  line: number;
  column: number;
}

/** The lines of a text, for places. A byte order mark counts for nothing. */
export class SourceText {
  private readonly starts: number[] = [0];

  constructor(readonly text: string) {
    for (const match of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
      this.starts.push(match.index + match[0].length);
    }
    if (text.startsWith('\uFEFF')) this.starts[0] = 1;
  }

  place(offset: number): Place {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(offset - (this.starts[low] ?? 0), 0) + 1 };
  }
}
