/**
 * The time for which a process may send claims from a shared store before others take over. Threads share the end in
 * memory and see it right before a send, even after the process was stopped.
 */
export class Lease {
  readonly end: LeaseEnd = new BigInt64Array(new SharedArrayBuffer(16));

  get isOver(): boolean {
    return isLeaseOver(this.end);
  }

  /** Extends the lease from `since`, when it was requested. */
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

/** `steadyNs`: the kernel's monotonic clock, equal in all threads. */
export interface Instant {
  readonly steadyNs: bigint;
  readonly wallMs: number;
}

export function thisInstant(): Instant {
  return { steadyNs: process.hrtime.bigint(), wallMs: Date.now() };
}

/** Checks both clocks: the monotonic one stops during sleep, the other may be set back. */
export function isLeaseOver(end: LeaseEnd): boolean {
  return process.hrtime.bigint() >= Atomics.load(end, STEADY) || BigInt(Date.now()) >= Atomics.load(end, WALL);
}
