/**
 * Two clocks. The wall clock is for people, and can jump. The steady clock reads like Unix time but never jumps: it
 * starts at the wall clock's value and follows the kernel's monotonic clock.
 */
export interface Clock {
  wallMs(): number;
  steadyMs(): number;
}

/** One reading of both. */
export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.wallMs(), steadyMs: clock.steadyMs() };
}

/** Clocks of one machine do not drift apart by so much. */
const JUMP_MS = 60_000;

/** Whether the wall clock was set since that moment, or the machine slept: the steady clock knows of neither. */
export function hasJumped(clock: Clock, since: Moment): boolean {
  const now = momentOf(clock);
  return Math.abs(now.wallMs - since.wallMs - (now.steadyMs - since.steadyMs)) > JUMP_MS;
}

/** `anchorMs`: the steady time at the monotonic clock's 0. Threads with the same one agree on the time. */
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

/** The same in all threads of a process, unlike `performance.now()`. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Calls `fn` after `ms`; returns how to cancel it. Tests give a simulated one. */
export type After = (ms: number, fn: () => void) => () => void;

/** Node's timers fire at once for anything longer. */
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

/** The promise's value, or `otherwise` where it does not come in time. */
export function within<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, otherwise);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
