import { time as texts } from '../texts/format.ts';
import { locale, timeZone } from './locale.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** Every time zone begins its days at quarter hours. */
const QUARTER_MS = 900_000;

/** Up to this age lists show "3 min ago", then time or day. */
const RELATIVE_UP_TO_S = 6 * HOUR_S;

type Format = (atMs: number) => string;

/** Formats times in one zone and locale. Show the exact time beside short ones. */
export class Times {
  /** `14:02`. */
  readonly clock: Format;
  /** `14:02:31`, for events in quick succession. */
  readonly second: Format;
  /** `Fri 14:00`, for times within a week. */
  readonly hour: Format;
  /** `Nov 20`, for days counted in UTC. */
  readonly utcDay: Format;
  /** `Sunday, November 22, 2026 at 09:30:00 GMT+1`, on demand. */
  readonly exact: Format;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #day: Format;
  readonly #dayOfYear: Format;
  readonly #date: Format;
  /** Dates by quarter hour: formatting is slow in lists of thousands. */
  readonly #dates = new Map<number, string>();
  readonly #year: Format;

  /** `timeZone`: undefined for the browser's. */
  constructor(locale: string, timeZone: string | undefined) {
    const zone = timeZone === undefined ? {} : { timeZone };
    const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...zone, ...options });
    // 12-hour clocks write `2:58 PM`, 24-hour clocks `02:58`.
    const hour = format({ hour: 'numeric' }).resolvedOptions().hour12 ? 'numeric' : '2-digit';
    this.clock = format({ hour, minute: '2-digit' }).format;
    this.second = format({ hour, minute: '2-digit', second: '2-digit' }).format;
    this.hour = format({ weekday: 'short', hour, minute: '2-digit' }).format;
    this.utcDay = format({ month: 'short', day: 'numeric', timeZone: 'UTC' }).format;
    this.exact = format({ dateStyle: 'full', timeStyle: 'long' }).format;
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
    this.#day = format({ weekday: 'long', day: 'numeric', month: 'long' }).format;
    this.#dayOfYear = format({ day: 'numeric', month: 'long', year: 'numeric' }).format;
    this.#date = format({ year: 'numeric', month: '2-digit', day: '2-digit' }).format;
    this.#year = format({ year: 'numeric' }).format;
  }

  /** Returns `now`, `3 min ago`, `2 hr ago`; from six hours on `07:00`: lists group by day. */
  short(atMs: number, nowMs: number): string {
    const seconds = Math.round((nowMs - atMs) / 1_000);
    // The server's clock may be slightly ahead.
    if (seconds < MINUTE_S) return texts.now;
    if (seconds < HOUR_S) return this.#relative.format(-Math.floor(seconds / MINUTE_S), 'minute');
    if (seconds < RELATIVE_UP_TO_S) return this.#relative.format(-Math.floor(seconds / HOUR_S), 'hour');
    return this.clock(atMs);
  }

  /** Adds the day unless today: `yesterday, 07:00`. Used outside day groups, also for future times. */
  dated(atMs: number, nowMs: number): string {
    const isAhead = atMs - nowMs >= MINUTE_S * 1_000;
    return this.#isSameDay(atMs, nowMs) && !isAhead ? this.short(atMs, nowMs) : this.since(atMs, nowMs);
  }

  /** Returns `14:02`, `yesterday, 14:02` or `tomorrow, 14:02` within a sentence (since, until). */
  since(atMs: number, nowMs: number): string {
    const clock = this.clock(atMs);
    if (this.#isSameDay(atMs, nowMs)) return clock;
    if (this.#isDayBefore(nowMs, atMs)) return texts.tomorrowAt(clock);
    return this.#isDayBefore(atMs, nowMs) ? texts.yesterdayAt(clock) : `${this.day(atMs, nowMs)}, ${clock}`;
  }

  /** Returns `at 14:02` or `tomorrow, 14:02`, within a sentence. */
  when(atMs: number, nowMs: number): string {
    const since = this.since(atMs, nowMs);
    return this.#isSameDay(atMs, nowMs) ? texts.at(since) : since;
  }

  /** Returns `Today`, `Yesterday`, `Tomorrow`, `Friday, November 20`; other years: `March 3, 2025`. */
  day(atMs: number, nowMs: number): string {
    if (this.#isSameDay(atMs, nowMs)) return texts.today;
    if (this.#isDayBefore(atMs, nowMs)) return texts.yesterday;
    if (this.#isDayBefore(nowMs, atMs)) return texts.tomorrow;
    const isThisYear = this.#year(atMs) === this.#year(nowMs);
    return isThisYear ? this.#day(atMs) : this.#dayOfYear(atMs);
  }

  /** Returns the date at any time of day: `11/22/2026`. */
  date(atMs: number): string {
    const quarter = Math.floor(atMs / QUARTER_MS);
    const date = this.#dates.get(quarter) ?? this.#date(atMs);
    this.#dates.set(quarter, date);
    return date;
  }

  #isDayBefore(atMs: number, nowMs: number): boolean {
    if (atMs >= nowMs) return false;
    // Tests that day's previous hour: days may have 23 or 25.
    let beforeMs = nowMs;
    while (this.#isSameDay(beforeMs, nowMs)) beforeMs -= HOUR_S * 1_000;
    return this.#isSameDay(atMs, beforeMs);
  }

  #isSameDay(aMs: number, bMs: number): boolean {
    return this.date(aMs) === this.date(bMs);
  }
}

/** Formats by the user's settings, else the browser's. */
export const times = new Times(locale, timeZone);

/** Tells whether `short` gives an age, which changes with time. */
export function isRelative(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < RELATIVE_UP_TO_S * 1_000;
}

export function msOf(timestamp: string): number {
  return Date.parse(timestamp);
}

const MINUTE_MS = 60_000;

interface EventTimes {
  /** Undefined: stored before an upgrade. */
  readonly occurred_at?: string | null;
  readonly received_at: string;
}

/** Returns when an event happened, if over a minute from its receipt; else null. */
export function happenedAt({ occurred_at: occurred = null, received_at: received }: EventTimes): string | null {
  const isApart = occurred !== null && Math.abs(Date.parse(occurred) - Date.parse(received)) > MINUTE_MS;
  return isApart ? occurred : null;
}
