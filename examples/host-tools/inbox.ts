import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A question that waits for its answer, with the token that answers it. */
export interface Question {
  user: string;
  question: string;
  token: string;
}

/** Stands for the table of your questions: a file that the worker writes and answer.ts reads. */
export function saveQuestion(file: string, question: Question): void {
  // Renamed into place, so that nobody reads half a file. Whoever has the token can answer.
  writeFileSync(`${file}.new`, JSON.stringify(question), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** `undefined` while nothing was asked. */
export function readQuestion(file: string): Question | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Question) : undefined;
}
