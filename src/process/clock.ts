/**
 * The wall clock is for people, and can jump. The steady one starts with it, then follows the kernel's monotonic clock.
 */
export interface Clock {
  wallMs(): number;
  steadyMs(): number;
}

export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.wallMs(), steadyMs: clock.steadyMs() };
}

/** Exceeds the drift between a machine's clocks. */
const JUMP_MS = 60_000;

/** Tells whether the wall clock was set or the machine slept, which the steady clock misses. */
export function hasJumped(clock: Clock, since: Moment): boolean {
  const now = momentOf(clock);
  return Math.abs(now.wallMs - since.wallMs - (now.steadyMs - since.steadyMs)) > JUMP_MS;
}

/** `anchorMs`: steady time at the monotonic clock's 0; threads sharing it agree. */
export interface SystemClock extends Clock {
  readonly anchorMs: number;
}

export function systemClock(anchorMs = Date.now() - monotonicMs()): SystemClock {
  return {
    anchorMs,
    wallMs: () => Date.now(),
    steadyMs: () => Math.floor(anchorMs + monotonicMs()),
  };
}

/** Equal in all threads, unlike `performance.now()`. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Calls `fn` after `ms`; returns the cancellation. Tests simulate it. */
export type After = (ms: number, fn: () => void) => () => void;

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemAfter: After = (ms, fn) => {
  const endsAtMs = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    timer = setTimeout(
      () => {
        const left = endsAtMs - performance.now();
        if (leftMs > LONGEST_TIMER_MS && left > 0) wait(left);
        else fn();
      },
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
  };
  wait(ms);
  return () => clearTimeout(timer);
};

/** Returns the promise's value, or `otherwise` after `ms`. */
export function within<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, otherwise);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

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
type LeaseEnd = BigInt64Array;

const STEADY = 0;
const WALL = 1;

/** `steadyNs`: the kernel's monotonic clock, equal in all threads. */
interface Instant {
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
