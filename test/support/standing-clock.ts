/** The steady clock of this process stands still: no pause of a busy machine is seen by what goes by it. Timers go on. */
export function standingClock(): Disposable {
  const { now } = performance;
  const atMs = performance.now();
  performance.now = () => atMs;
  return {
    [Symbol.dispose]() {
      performance.now = now;
    },
  };
}
