import type { LogTail } from './types';

const encoder = new TextEncoder();

/** The last lines of a log; what falls out at the front is counted. */
export class Log {
  private readonly kept: { text: string; bytes: number }[] = [];
  private bytes = 0;
  private lines = 0;

  constructor(private readonly limit: number) {}

  add(text: string): void {
    for (const line of text.split('\n')) this.addLine(line);
  }

  get tail(): LogTail {
    return {
      text: this.kept.map(({ text }) => `${text}\n`).join(''),
      lines: this.lines,
      droppedLines: this.lines - this.kept.length,
    };
  }

  private addLine(line: string): void {
    const text = line.isWellFormed() ? line : line.toWellFormed();
    const bytes = encoder.encode(text).byteLength + 1;
    this.lines += 1;
    this.kept.push({ text, bytes });
    this.bytes += bytes;
    while (this.bytes > this.limit) this.bytes -= this.kept.shift()?.bytes ?? 0;
  }
}
