import { CancellationScope, sleep } from '@temporalio/workflow';

/**
 * Something that comes, or does not. Not Temporal's `condition`: that one goes on outside of the
 * entry that the script worker limits in time, and what goes on may be a script.
 */
export class Arrival {
  private arrived = false;
  private tell: () => void = () => undefined;
  private readonly arrival = new Promise<void>((resolve) => (this.tell = resolve));

  come(): void {
    this.arrived = true;
    this.tell();
  }

  /** True when it has come; false when the time is over. */
  async wait(timeoutMs?: number): Promise<boolean> {
    if (timeoutMs === undefined) await this.arrival;
    else {
      await CancellationScope.cancellable(async () => {
        try {
          await Promise.race([sleep(timeoutMs), this.arrival]);
        } finally {
          CancellationScope.current().cancel();
        }
      });
    }
    return this.arrived;
  }
}
