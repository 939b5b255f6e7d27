/**
 * Computes who is on call. A rota keeps its last change and the person on call then, and counts handovers from there.
 * So changes affect neither the present person nor the past.
 */
import { type LocalClock, localClock, weekdayOf } from './local-clock.ts';

export interface Handover {
  readonly every: 'day' | 'week';
  /** Days or weeks between two handovers. */
  readonly count: number;
  /** Monday is 0. Counts only for weeks. */
  readonly weekday: number;
  /** Minutes of the day on the rota's clock. */
  readonly minute: number;
}

export interface Rota {
  readonly timezone: string;
  readonly handover: Handover;
  /** Distinct people, in order. */
  readonly members: readonly number[];
  /** Day since 1970-01-01 of the start, at the handover time. */
  readonly startsOn: number;
  /** Start or last change. Before, nobody is on call. */
  readonly sinceMs: number;
  /** A handover's day since 1970-01-01; others are whole periods away. */
  readonly anchor: number;
  /** Index of the member on call at `sinceMs`. */
  readonly first: number;
}

/** Returns a rota that begins with the first member. */
export function newRota(plan: Pick<Rota, 'timezone' | 'handover' | 'members' | 'startsOn'>): Rota {
  const { timezone, handover, members, startsOn } = plan;
  const sinceMs = localClock(timezone).instantOf(startsOn, handover.minute);
  return { timezone, handover, members, startsOn, sinceMs, anchor: firstDay(handover, startsOn), first: 0 };
}

/** A change; absent fields stay. */
export interface RotaChange {
  readonly members?: readonly number[];
  readonly handover?: Handover;
  readonly timezone?: string;
  /** A new member who takes over at once. */
  readonly onCall?: number;
}

/**
 * Changes a rota and keeps the person on call. If they left, the next remaining member of the old list takes over.
 * Before the start, the first member always begins.
 */
export function changedRota(rota: Rota, { onCall, ...change }: RotaChange, nowMs: number): Rota {
  if (nowMs < rota.sinceMs) return newRota({ ...rota, ...change });
  const next = { ...rota, ...change, sinceMs: nowMs };
  const position = calendarOf(rota).positionAt(nowMs);
  const behind = rota.members.map((_, index) => rota.members[(position + index) % rota.members.length]);
  const person = onCall ?? behind.find((member) => member !== undefined && next.members.includes(member));
  const first = person === undefined ? 0 : next.members.indexOf(person);
  return { ...next, first, anchor: anchorAfter(rota, next, nowMs) };
}

/** Keeps the rhythm of weeks if allowed. */
function anchorAfter({ anchor }: Rota, { handover, timezone }: Rota, nowMs: number): number {
  if (handover.every === 'day' || weekdayOf(anchor) === handover.weekday) return anchor;
  const clock = localClock(timezone);
  const today = clock.dayAt(nowMs);
  return firstDay(handover, clock.instantOf(today, handover.minute) > nowMs ? today : today + 1);
}

function firstDay({ every, weekday }: Handover, day: number): number {
  return every === 'day' ? day : day + ((weekday - weekdayOf(day) + 7) % 7);
}

/** A rota's handovers, computed without looping over the past. */
interface RotaCalendar {
  onCallAt(atMs: number): number | null;
  /** The index among the members. */
  positionAt(atMs: number): number;
  /** Returns the first later handover. */
  nextHandover(afterMs: number): number;
}

export function calendarOf(rota: Rota): RotaCalendar {
  const { handover, members, sinceMs, anchor, first } = rota;
  const clock: LocalClock = localClock(rota.timezone);
  const periodDays = handover.count * (handover.every === 'day' ? 1 : 7);
  const instantOf = (index: number) => clock.instantOf(anchor + index * periodDays, handover.minute);

  /** Returns the last handover's index, counted from the anchor. */
  function lastIndex(atMs: number): number {
    const index = Math.floor((clock.dayAt(atMs) - anchor) / periodDays);
    // A skipped midnight delays a handover within the day only.
    if (instantOf(index) > atMs) return index - 1;
    return instantOf(index + 1) <= atMs ? index + 1 : index;
  }

  function positionAt(atMs: number): number {
    if (members.length === 0) return 0;
    const handovers = Math.max(0, lastIndex(atMs) - lastIndex(sinceMs));
    return (first + handovers) % members.length;
  }

  return {
    positionAt,
    onCallAt: (atMs) => (atMs < sinceMs ? null : (members[positionAt(atMs)] ?? null)),
    nextHandover: (afterMs) => instantOf(lastIndex(Math.max(afterMs, sinceMs)) + 1),
  };
}
