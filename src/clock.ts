/**
 * Two clocks. The wall clock is what people read, and it can jump. The steady clock reads like Unix time but only ever
 * moves forward at the pace of time: it starts at the wall clock's value and follows the kernel's monotonic clock.
 */
export interface Clock {
  wallMs(): number;
  steadyMs(): number;
}

export function systemClock(): Clock {
  const anchorMs = Date.now() - performance.now();
  return {
    wallMs: () => Date.now(),
    steadyMs: () => Math.floor(anchorMs + performance.now()),
  };
}
