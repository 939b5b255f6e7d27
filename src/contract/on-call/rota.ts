/**
 * Computes who is on call by a rota. A rota keeps the moment of its last change, and the person on call at that moment;
 * handovers are counted from there. So a change neither moves the person on call now nor rewrites the past.
 */
import { type LocalClock, localClock, weekdayOf } from './local-clock.ts';

export interface Handover {
  readonly every: 'day' | 'week';
  /** Days or weeks between two handovers. */
  readonly count: number;
  /** Monday is 0. Counts only for weeks. */
  readonly weekday: number;
  /** Minutes of the day on the rota's wall clock. */
  readonly minute: number;
}

export interface Rota {
  readonly timezone: string;
  readonly handover: Handover;
  /** In order. No person is in it twice. */
  readonly members: readonly number[];
  /** The day (since 1970-01-01) on which the rota begins, at the time of its handovers. */
  readonly startsOn: number;
  /** When the rota begins, or last changed after that. Nobody is on call before. */
  readonly sinceMs: number;
  /** The day (since 1970-01-01) of a handover. All others are whole periods away. */
  readonly anchor: number;
  /** The index of the member who was on call at `sinceMs`. */
  readonly first: number;
}

/** Returns a rota that begins on a date, with its first member. */
export function newRota(plan: Pick<Rota, 'timezone' | 'handover' | 'members' | 'startsOn'>): Rota {
  const { timezone, handover, members, startsOn } = plan;
  const sinceMs = localClock(timezone).instantOf(startsOn, handover.minute);
  return { timezone, handover, members, startsOn, sinceMs, anchor: firstDay(handover, startsOn), first: 0 };
}

/** Returns who is on call at a time that is not before the rota's last change; null: nobody. */
export function onCallAt(rota: Rota, atMs: number): number | null {
  return calendarOf(rota).onCallAt(atMs);
}

/** A change of a rota; what is not given stays. */
export interface RotaChange {
  readonly members?: readonly number[];
  readonly handover?: Handover;
  readonly timezone?: string;
  /** A member of the new list, who takes over at once. */
  readonly onCall?: number;
}

/**
 * Changes a rota. The person on call stays, unless they are no member any more: then the next one of the old list who
 * still is takes over. Until the rota has begun, its first member is always the one who will begin.
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

/** Keeps the rhythm of weeks if the new rule allows it. */
function anchorAfter({ anchor }: Rota, { handover, timezone }: Rota, nowMs: number): number {
  if (handover.every === 'day' || weekdayOf(anchor) === handover.weekday) return anchor;
  const clock = localClock(timezone);
  const today = clock.dayAt(nowMs);
  return firstDay(handover, clock.instantOf(today, handover.minute) > nowMs ? today : today + 1);
}

function firstDay({ every, weekday }: Handover, day: number): number {
  return every === 'day' ? day : day + ((weekday - weekdayOf(day) + 7) % 7);
}

/** The handovers of a rota, without a loop over the past. */
export interface RotaCalendar {
  onCallAt(atMs: number): number | null;
  /** The index among the members. */
  positionAt(atMs: number): number;
  /** Returns the first handover behind a time. */
  nextHandover(afterMs: number): number;
}

export function calendarOf(rota: Rota): RotaCalendar {
  const { handover, members, sinceMs, anchor, first } = rota;
  const clock: LocalClock = localClock(rota.timezone);
  const periodDays = handover.count * (handover.every === 'day' ? 1 : 7);
  const instantOf = (index: number) => clock.instantOf(anchor + index * periodDays, handover.minute);

  /** The index of the last handover up to a time, counted from the anchor. */
  function lastIndex(atMs: number): number {
    const index = Math.floor((clock.dayAt(atMs) - anchor) / periodDays);
    // A skipped midnight puts a handover onto a later hour, never onto another day than the next.
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
