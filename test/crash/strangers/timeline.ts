/** A fault that happened. `endMs`: infinite while it is in progress. By `performance.now()`. */
export interface Happened {
  readonly what: string;
  /** On how many machines. */
  readonly machines: number;
  readonly startMs: number;
  endMs: number;
}

/** The faults that happened, to tell which wait they excuse. */
export class Timeline {
  readonly faults: Happened[] = [];

  async during<T>(what: string, machines: number, run: () => Promise<T>): Promise<T> {
    const fault = { what, machines, startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    this.faults.push(fault);
    try {
      return await run();
    } finally {
      fault.endMs = performance.now();
    }
  }

  between(fromMs: number, toMs: number): readonly Happened[] {
    return this.faults.filter(({ startMs, endMs }) => startMs < toMs && endMs > fromMs);
  }

  /** Returns how much of the time passed without a fault. Faults never overlap. */
  freeMs(fromMs: number, toMs: number): number {
    const excusedMs = this.between(fromMs, toMs).reduce(
      (sum, { startMs, endMs }) => sum + Math.min(endMs, toMs) - Math.max(startMs, fromMs),
      0,
    );
    return Math.max(0, toMs - fromMs) - excusedMs;
  }
}
