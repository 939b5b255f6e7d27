import { calendarOf, type Rota } from './rota.ts';

/** Resolves rota and overrides: at most one person at every instant. */

export interface Override {
  readonly id: number;
  readonly person: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Shift {
  readonly fromMs: number;
  /** null: without an end. */
  readonly untilMs: number | null;
  /** null: nobody. */
  readonly person: number | null;
  /** The override that puts the person on call. */
  readonly override: number | null;
}

/** A rota's resolved shifts. The last of `overrides` wins, in order of creation. */
export interface Timeline {
  at(atMs: number): Pick<Shift, 'person' | 'override'>;
  /** Returns the shift until another person takes over, across handovers and overrides. */
  shiftAt(atMs: number): Shift;
  /** Returns the shifts, cut at both ends. */
  shifts(fromMs: number, untilMs: number): Shift[];
}

export function timelineOf(rota: Rota, overrides: readonly Override[]): Timeline {
  const calendar = calendarOf(rota);

  function at(atMs: number) {
    const override = overrides.findLast(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    return override === undefined
      ? { person: calendar.onCallAt(atMs), override: null }
      : { person: override.person, override: override.id };
  }

  /** Returns the next possible change; null: never. Overrides hide handovers. */
  function nextEdge(afterMs: number): number | null {
    const edges = overrides.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]);
    if (at(afterMs).override === null) {
      if (rota.sinceMs > afterMs) edges.push(rota.sinceMs);
      if (rota.members.length > 1) edges.push(calendar.nextHandover(afterMs));
    }
    const later = edges.filter((edge) => edge > afterMs);
    return later.length === 0 ? null : Math.min(...later);
  }

  return {
    at,

    shiftAt(atMs) {
      const shown = at(atMs);
      let untilMs = nextEdge(atMs);
      while (untilMs !== null && at(untilMs).person === shown.person) untilMs = nextEdge(untilMs);
      return { ...shown, fromMs: atMs, untilMs };
    },

    shifts(fromMs, untilMs) {
      const shifts: Shift[] = [];
      for (let edge: number | null = fromMs; edge !== null && edge < untilMs; ) {
        const shown = at(edge);
        const next = nextEdge(edge);
        const endMs = Math.min(next ?? untilMs, untilMs);
        const last = shifts.at(-1);
        if (last?.person === shown.person && last.override === shown.override) {
          shifts[shifts.length - 1] = { ...last, untilMs: endMs };
        } else shifts.push({ ...shown, fromMs: edge, untilMs: endMs });
        edge = next;
      }
      return shifts;
    },
  };
}

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
