import type { SandboxLimits } from './types';

/** What the host does for a guest costs fuel as well: measured, in what the engine does meanwhile. */
export const HOST_COST = {
  /** Any use of the door. */
  entry: 20_000,
  /** A call of a tool, a sleep or a wait for a signal: mostly work that comes later. */
  call: 200_000,
  character: 10,
  /** In a text with half surrogates, which is decoded one by one. */
  oddCharacter: 200,
  logLine: 4_000,
  clock: 5_000,
  /** A promise that is rejected, or no longer unhandled. */
  rejection: 20_000,
  /** To show a rejection that nobody handled. */
  toldRejection: 50_000,
} as const;

/** The engine's own count is written when so much has come together. */
const OWED = 1_000_000;

/**
 * What a guest may still compute, counted by the metered engine and never in time: a replay must
 * stop at the same place. When only the reserve is left the engine is interrupted where it next asks
 * whether it should go on; inside a built-in it does not ask, and traps at the end of the reserve.
 */
export class Fuel {
  /** Which budget is used up, if any. Never taken back: the guest is not run again. */
  exhausted: 'turn' | 'run' | undefined;
  private readonly reserve: number;
  private ofRun: number;
  private filled = 0;
  private owed = 0;
  private broken = false;

  constructor(
    private readonly limits: SandboxLimits,
    /** The engine's own count of what is left. */
    private readonly tank: { value: bigint },
  ) {
    this.reserve = Math.ceil(limits.fuelPerTurn / 8);
    this.ofRun = limits.fuelPerRun;
  }

  startTurn(): void {
    this.fill(Math.min(this.limits.fuelPerTurn, this.ofRun) + this.reserve);
  }

  /** Takes from the fuel for work of the host's. */
  charge(amount: number): void {
    this.owed += amount;
    if (this.owed >= OWED) this.pay();
  }

  endTurn(): void {
    this.pay();
    this.ofRun = Math.max(this.ofRun - (this.filled - this.left), 0);
  }

  /** True: stop the guest. */
  poll(): boolean {
    this.pay();
    if (this.left < this.reserve) {
      this.exhausted ??= this.ofRun < this.limits.fuelPerTurn ? 'run' : 'turn';
    }
    return this.exhausted !== undefined;
  }

  /** Whether the engine has trapped for want of fuel, in the middle of whatever it did. */
  get trapped(): boolean {
    if (this.left < 0) this.broken = this.poll();
    return this.broken;
  }

  /** Enough to learn where a trapped engine was. */
  fillOnceMore(): void {
    this.fill(this.reserve);
  }

  private pay(): void {
    if (this.owed > 0) this.tank.value -= BigInt(this.owed);
    this.owed = 0;
  }

  private get left(): number {
    return Number(this.tank.value);
  }

  private fill(amount: number): void {
    this.filled = amount;
    this.tank.value = BigInt(amount);
  }
}
