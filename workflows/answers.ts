import { condition } from '@temporalio/workflow';
import type { Answer, AnswerVerdict } from './contract';

/** Answers to deferred calls, by `seq`. The first counts, also one that comes before the deferral was seen. */
export class Answers {
  private readonly first = new Map<number, Answer>();
  /** Calls that ended without an answer of these: later ones lose. */
  private readonly closed = new Set<number>();

  take(answer: Answer): void {
    if (!this.first.has(answer.seq) && !this.closed.has(answer.seq)) {
      this.first.set(answer.seq, answer);
    }
  }

  verdict(question: { seq: number; hash: string }): AnswerVerdict {
    const answer = this.first.get(question.seq);
    if (answer) return answer.hash === question.hash ? 'taken' : 'conflict';
    return this.closed.has(question.seq) ? 'conflict' : 'unknown';
  }

  /** The answer, or `undefined` when none came in time; then the call is closed. */
  async wait(seq: number, timeoutMs: number | undefined): Promise<Answer | undefined> {
    const arrived = () => this.first.has(seq);
    if (timeoutMs === undefined) await condition(arrived);
    else if (!arrived() && timeoutMs > 0) await condition(arrived, timeoutMs);
    const answer = this.first.get(seq);
    if (!answer) this.closed.add(seq);
    return answer;
  }

  /** The call ended in another way. */
  close(seq: number): void {
    if (!this.first.has(seq)) this.closed.add(seq);
  }
}
