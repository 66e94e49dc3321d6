import { Arrival } from './arrival';
import type { Answer, AnswerError, AnswerVerdict } from './contract';

/** An answer with its value, or with the data of its error. */
export interface Taken {
  hash: string;
  result: { ok: true; value: unknown } | { ok: false; error: AnswerError };
}

/** Answers to deferred calls, by `seq`. The first counts, also one that comes before the deferral was seen. */
export class Answers {
  private readonly first = new Map<number, Taken>();
  /** Calls that ended without an answer of these: later ones lose. */
  private readonly closed = new Set<number>();
  private readonly waiting = new Map<number, Arrival>();

  take({ seq, hash, result }: Answer, body: unknown): void {
    if (this.first.has(seq) || this.closed.has(seq)) return;
    this.first.set(seq, { hash, result: whole(result, body) });
    this.waiting.get(seq)?.come();
  }

  verdict(question: { seq: number; hash: string }): AnswerVerdict {
    const answer = this.first.get(question.seq);
    if (answer) return answer.hash === question.hash ? 'taken' : 'conflict';
    return this.closed.has(question.seq) ? 'conflict' : 'unknown';
  }

  /** The answer, or `undefined` when none came in time; then the call is closed. */
  async wait(seq: number, timeoutMs: number | undefined): Promise<Taken | undefined> {
    if (!this.first.has(seq) && (timeoutMs === undefined || timeoutMs > 0)) {
      const arrival = new Arrival();
      this.waiting.set(seq, arrival);
      await arrival.wait(timeoutMs);
      this.waiting.delete(seq);
    }
    const answer = this.first.get(seq);
    if (!answer) this.closed.add(seq);
    return answer;
  }

  /** The call ended in another way. */
  close(seq: number): void {
    if (!this.first.has(seq)) this.closed.add(seq);
  }
}

/** Older gateways sent value and data inside. */
function whole(result: Answer['result'], body: unknown): Taken['result'] {
  if (result.ok) return { ok: true, value: body ?? result.value ?? null };
  return { ok: false, error: body === undefined ? result.error : { ...result.error, data: body } };
}
