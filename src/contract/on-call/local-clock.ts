/** Dates and times on the wall clocks of time zones, and the instants that they mean. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Days since 1970-01-01 of a date such as `2027-03-28`. */
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

/** A clock in one time zone. Creating it costs 50 µs; one reading 2 µs. */
export interface LocalClock {
  /** Returns the day since 1970-01-01 that the clock shows. */
  dayAt(atMs: number): number;
  /**
   * Returns when the clock shows a time (in minutes of a day). If it shows the time twice, the first counts. If the
   * clock skips the time, the first instant behind the gap counts.
   */
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

  /** Returns what the clock shows, as if it were UTC. */
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
      // No zone is a day and a half away from UTC, and none changes its offset twice in three days.
      const [before, after] = [offsetAt(shown - 1.5 * DAY_MS), offsetAt(shown + 1.5 * DAY_MS)];
      const instants = [shown - before, shown - after].toSorted((a, b) => a - b);
      const first = instants.find((atMs) => shownAt(atMs) === shown);
      return first ?? changeWithin(...(instants as [number, number]), offsetAt);
    },
  };
}

/** Returns when an offset changes, to the minute, between an instant before the change and one after it. */
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
