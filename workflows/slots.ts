/** Lets at most so many things go on at once; the others wait in order. */
export class Slots {
  private readonly queue: (() => void)[] = [];
  private used = 0;

  constructor(private readonly size: number) {}

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.used >= this.size) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.used += 1;
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.used -= 1;
    }
  }
}
