/**
 * Two clocks. The wall clock is what people read, and it can jump. The steady clock reads like Unix time but only ever
 * moves forward at the pace of time: it starts at the wall clock's value and follows the kernel's monotonic clock, which
 * all threads of the process share.
 */
export interface Clock {
  wallMs(): number;
  steadyMs(): number;
}

/** `anchorMs` ties the steady clocks of several threads together: pass the one that `anchorNow()` gave to the first. */
export function systemClock(anchorMs: number = anchorNow()): Clock {
  return {
    wallMs: () => Date.now(),
    steadyMs: () => Math.floor(anchorMs + monotonicMs()),
  };
}

/** The distance between the wall clock and the monotonic clock, taken once when the process starts. */
export function anchorNow(): number {
  return Date.now() - monotonicMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
