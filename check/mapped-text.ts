/** Text put together from pieces of an original and words of ours, which knows where each piece came from. */
export class MappedText {
  private readonly pieces: { at: number; length: number; from: number | undefined }[] = [];
  private parts: string[] = [];
  private length = 0;

  get text(): string {
    return this.parts.join('');
  }

  /** A piece of the original, from its offset there. */
  original(text: string, from: number): this {
    return this.push(text, from);
  }

  /** Words of ours. */
  own(text: string): this {
    return this.push(text, undefined);
  }

  /** The offset in the original; for our own words that of the piece before. */
  originalOffset(offset: number): number {
    let before = 0;
    for (const { at, length, from } of this.pieces) {
      if (at > offset) break;
      if (from === undefined) continue;
      if (offset < at + length) return from + (offset - at);
      before = from + length;
    }
    return before;
  }

  /** Whether the offset lies in a piece of the original. */
  isOriginal(offset: number): boolean {
    return this.pieces.some(
      ({ at, length, from }) => from !== undefined && offset >= at && offset < at + length,
    );
  }

  private push(text: string, from: number | undefined): this {
    if (text.length > 0) {
      this.pieces.push({ at: this.length, length: text.length, from });
      this.parts.push(text);
      this.length += text.length;
    }
    return this;
  }
}
