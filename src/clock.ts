/**
 * Two clocks. The wall clock is what people read, and it can jump. The steady clock reads like Unix time but only ever
 * moves forward at the pace of time: it starts at the wall clock's value and follows the kernel's monotonic clock.
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

/** `anchorMs`: what the steady clock showed when the kernel's stood at 0. Threads that get the same one agree on the time. */
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
