import type { Rota } from './rota.ts';
import { type Override, type Shift, type Timeline, timelineOf } from './timeline.ts';

/** A rota, as it decides who is on call. */
export interface OnCallPlan {
  readonly rota: Rota;
  readonly overrides: readonly Override[];
}

/** Answers who is on call by one plan. Remembers the current shift, since an answer without it takes 100 µs. */
export class OnCall {
  readonly #timeline: Timeline;
  #shift: Shift | null = null;

  constructor({ rota, overrides }: OnCallPlan) {
    this.#timeline = timelineOf(rota, overrides);
  }

  /** Returns the person; null: nobody. */
  at(atMs: number): number | null {
    const known = this.#shift;
    const isCurrent = known !== null && known.fromMs <= atMs && (known.untilMs === null || atMs < known.untilMs);
    this.#shift = isCurrent ? known : this.#timeline.shiftAt(atMs);
    return this.#shift.person;
  }
}
