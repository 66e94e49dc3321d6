import { formatDuration, type Duration } from '../protocol/duration';
import { limits } from '../protocol/limits';
import { deferResult } from '../protocol/task';
import { readDuration } from '../client/options';
import { ServerError } from '../errors/errors';
import { endClaim, type AnswerOptions } from './answer';
import type { Deferral } from './context';
import type { Lease } from './lease';

/** The deferral of one delivery: at most one, whoever asks how often. */
export class Deferring {
  readonly #lease: Lease;
  readonly #options: AnswerOptions;
  #deferral: Promise<Deferral> | undefined;

  constructor(lease: Lease, options: AnswerOptions) {
    this.#lease = lease;
    this.#options = options;
  }

  /** The deferral; after a failed one, another may be asked for. */
  defer(options: { timeout?: Duration } = {}): Promise<Deferral> {
    if (this.#deferral) return this.#deferral;
    const deferral = this.#request(options);
    this.#deferral = deferral;
    deferral.catch(() => (this.#deferral = undefined));
    return deferral;
  }

  /**
   * Waits for a deferral that a handler started and returned without. Where that fails, its error is
   * given, as the handler cannot have seen it.
   */
  async settled(): Promise<{ error: unknown } | undefined> {
    try {
      await this.#deferral;
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #request({ timeout }: { timeout?: Duration }): Promise<Deferral> {
    const { token } = this.#lease.task;
    const body =
      timeout === undefined
        ? { token }
        : // The run's time to live is the bound, on the server, and is never longer than this.
          {
            token,
            timeout: formatDuration(Math.min(readDuration(timeout, 'timeout'), limits.ttlMs)),
          };
    try {
      return await endClaim(this.#lease, this.#options, async (timing) => {
        const reply = await this.#options.http.request('deferTask', { body, ...timing });
        const parsed = deferResult.safeParse(reply);
        if (parsed.success) {
          return { token: parsed.data.token, deadline: new Date(parsed.data.deadline) };
        }
        throw new ServerError('the server answered a deferral with something else', {
          code: 'invalid_response',
        });
      });
    } catch (error) {
      // The handler goes on with its claim.
      this.#options.heartbeats.start(this.#lease, 'next turn');
      throw error;
    }
  }
}
