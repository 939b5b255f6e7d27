/**
 * For how long a process may send what it has out of a store that it shares: until the others may take it over. The end
 * lies in memory that all threads share, so that each sees it right before a send, also after the process was stopped.
 */
export class Lease {
  readonly end: LeaseEnd = new BigInt64Array(new SharedArrayBuffer(16));

  get isOver(): boolean {
    return isLeaseOver(this.end);
  }

  /** It was asked for at `since`, and lasts so long from then. */
  renew(since: Instant, forMs: number): void {
    Atomics.store(this.end, WALL, BigInt(since.wallMs + Math.floor(forMs)));
    Atomics.store(this.end, STEADY, since.steadyNs + BigInt(Math.floor(forMs)) * 1_000_000n);
  }

  giveUp(): void {
    this.end.fill(0n);
  }
}

/** Its end by the two clocks. */
export type LeaseEnd = BigInt64Array;

const STEADY = 0;
const WALL = 1;

/** `steadyNs`: by the kernel's monotonic clock, the same in all threads. */
export interface Instant {
  readonly steadyNs: bigint;
  readonly wallMs: number;
}

export function thisInstant(): Instant {
  return { steadyNs: process.hrtime.bigint(), wallMs: Date.now() };
}

/** By both clocks: the monotonic one stands still while the machine sleeps, and the other one may be set back. */
export function isLeaseOver(end: LeaseEnd): boolean {
  return process.hrtime.bigint() >= Atomics.load(end, STEADY) || BigInt(Date.now()) >= Atomics.load(end, WALL);
}
