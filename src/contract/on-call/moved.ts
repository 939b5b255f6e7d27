import type { Timeline } from './timeline.ts';

/** A time in which a change puts another person on call. null: nobody. */
export interface Moved {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly before: number | null;
  readonly after: number | null;
}

/** Returns the times within a range in which two timelines differ. */
export function movedShifts(
  before: Pick<Timeline, 'shifts'>,
  after: Pick<Timeline, 'shifts'>,
  fromMs: number,
  untilMs: number,
): readonly Moved[] {
  const [old, next] = [before.shifts(fromMs, untilMs), after.shifts(fromMs, untilMs)];
  const edges = [...new Set([...old, ...next].map((shift) => shift.fromMs))].toSorted((a, b) => a - b);
  const moved: Moved[] = [];
  let [inOld, inNext] = [0, 0];
  for (const [place, edge] of edges.entries()) {
    while ((old[inOld + 1]?.fromMs ?? untilMs) <= edge) inOld += 1;
    while ((next[inNext + 1]?.fromMs ?? untilMs) <= edge) inNext += 1;
    const people = { before: old[inOld]?.person ?? null, after: next[inNext]?.person ?? null };
    if (people.before === people.after) continue;
    const endMs = edges[place + 1] ?? untilMs;
    const last = moved.at(-1);
    if (last?.untilMs === edge && last.before === people.before && last.after === people.after) {
      moved[moved.length - 1] = { ...last, untilMs: endMs };
    } else moved.push({ fromMs: edge, untilMs: endMs, ...people });
  }
  return moved;
}
