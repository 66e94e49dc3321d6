import type { LogTail } from './types';

const encoder = new TextEncoder();

/** The last lines of a log; what falls out at the front is counted. */
export class Log {
  private kept: { text: string; bytes: number }[] = [];
  /** How many of `kept` have fallen out: to take each from the front would move all others. */
  private gone = 0;
  private bytes = 0;
  private lines = 0;

  constructor(private readonly limit: number) {}

  /** Gives the number of lines. */
  add(text: string): number {
    const lines = text.split('\n');
    for (const line of lines) this.addLine(line);
    return lines.length;
  }

  get tail(): LogTail {
    return {
      text: this.kept
        .slice(this.gone)
        .map(({ text }) => `${text}\n`)
        .join(''),
      lines: this.lines,
      droppedLines: this.lines - (this.kept.length - this.gone),
    };
  }

  private addLine(line: string): void {
    const text = line.isWellFormed() ? line : line.toWellFormed();
    const bytes = encoder.encode(text).byteLength + 1;
    this.lines += 1;
    this.kept.push({ text, bytes });
    this.bytes += bytes;
    while (this.bytes > this.limit) {
      this.bytes -= this.kept[this.gone]?.bytes ?? 0;
      this.gone += 1;
    }
    if (this.gone > 1000 && this.gone * 2 > this.kept.length) {
      this.kept = this.kept.slice(this.gone);
      this.gone = 0;
    }
  }
}
