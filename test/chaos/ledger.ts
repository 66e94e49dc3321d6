import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What really happened, one JSON line each: appended whole, so that a killed process leaves no half. */
export type LedgerLine =
  | { what: 'entered'; run: string; seq: number; tool: string; attempt: number; key: string }
  | { what: 'finished'; run: string; seq: number; value: string }
  | { what: 'deferred'; run: string; seq: number; token: string }
  /** By whoever holds the token; `how` is what the gateway said. */
  | { what: 'answered'; run: string; seq: number; value: string; how: 'taken' | 'refused' };

export class Ledger {
  constructor(readonly file: string) {}

  write(line: LedgerLine): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  read(): LedgerLine[] {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerLine);
  }
}
