import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, RewindError, type Rewind, type Run } from '@rewind.codes/sdk';
import type { Ledger, LedgerLine } from './ledger';
import type { Random } from './random';
import { SIGNALS, script } from './script';
import type { Stage } from './stage';

/** Repeats, through whatever is broken, what is safe to repeat. */
async function persist<T>(work: () => Promise<T>, until: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const status = RewindError.isInstance(error) ? error.status : undefined;
      const refused =
        status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
      if (refused || until.aborted) throw error;
      await sleep(200);
    }
  }
}

/** Starts runs, sends them their signals and answers their deferred calls. */
export class Load {
  /** By run id: signals that were accepted. */
  readonly started = new Map<string, { signals: number }>();
  private readonly client: Rewind;
  private readonly ledger: Ledger;
  private readonly starting = new AbortController();
  private readonly giveUp = new AbortController();
  private readonly work: Promise<unknown>[] = [];
  /** What should not have happened here: a refusal that nothing explains. */
  readonly faults: string[] = [];
  private readonly tokens = new Set<string>();

  constructor(
    stage: Stage,
    private readonly random: Random,
    private readonly toolset: string,
  ) {
    this.client = stage.client;
    this.ledger = stage.ledger;
  }

  begin(streams: number): void {
    for (let stream = 0; stream < streams; stream += 1) this.watch(this.stream());
    this.watch(this.answerDeferred());
  }

  /** No new runs; waits until those that began have ended, and gives them. */
  async finish(withinMs: number): Promise<Run[]> {
    this.starting.abort();
    const deadline = Date.now() + withinMs;
    const runs: Run[] = [];
    for (const id of this.started.keys()) {
      let run = await this.patiently(() => this.runs.retrieve(id));
      while (run.endedAt === undefined && Date.now() < deadline) {
        run = await this.patiently(() => this.runs.retrieve(id, { wait: '5s' }));
      }
      runs.push(run);
    }
    this.giveUp.abort();
    await Promise.allSettled(this.work);
    return runs;
  }

  private get runs() {
    return this.client.namespace('chaos').runs;
  }

  private patiently<T>(work: () => Promise<T>): Promise<T> {
    return persist(work, this.giveUp.signal);
  }

  private watch(work: Promise<void>): void {
    this.work.push(work.catch((error: unknown) => this.faults.push(String(error))));
  }

  private async stream(): Promise<void> {
    while (!this.starting.signal.aborted) {
      const plan = Array.from({ length: 4 }, () => this.random.between(0, 300));
      const idempotencyKey = randomUUID();
      const { id } = await this.patiently(() =>
        this.runs.create({ script, toolset: this.toolset, input: { plan } }, { idempotencyKey }),
      );
      const facts = { signals: 0 };
      this.started.set(id, facts);
      for (let number = 1; number <= SIGNALS; number += 1) {
        const key = randomUUID();
        await this.patiently(() => this.runs.signal(id, 'go', number, { idempotencyKey: key }));
        facts.signals = number;
        await sleep(this.random.between(0, 500));
      }
      let run = await this.patiently(() => this.runs.retrieve(id, { wait: '2s' }));
      while (run.endedAt === undefined && !this.starting.signal.aborted) {
        run = await this.patiently(() => this.runs.retrieve(id, { wait: '5s' }));
      }
    }
  }

  /** As a person would, from a process that is no worker. */
  private async answerDeferred(): Promise<void> {
    while (!this.giveUp.signal.aborted) {
      for (const line of this.ledger.read()) {
        if (line.what !== 'deferred' || this.tokens.has(line.token)) continue;
        this.tokens.add(line.token);
        this.watch(this.answer(line));
      }
      await sleep(200);
    }
  }

  private async answer({ run, seq, token }: LedgerLine & { what: 'deferred' }): Promise<void> {
    await sleep(this.random.between(0, 1500));
    const value = randomUUID();
    try {
      await this.patiently(() => this.client.tasks.complete(token, value));
      this.ledger.write({ what: 'answered', run, seq, value, how: 'taken' });
    } catch (error) {
      if (!ConflictError.isInstance(error)) throw error;
      this.ledger.write({ what: 'answered', run, seq, value, how: 'refused' });
    }
  }
}
