import { texts } from '../texts/time.ts';
import { locale, timeZone } from './locale.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** In no time zone a day begins within one. */
const QUARTER_MS = 900_000;

/** How far a list goes with "3 min ago" before it names the time or the day. */
const RELATIVE_UP_TO_S = 6 * HOUR_S;

type Format = (atMs: number) => string;

/** The formats of one time zone and locale. Text for times that people read; the exact one belongs beside it. */
export class Times {
  /** `14:02`. */
  readonly clock: Format;
  /** `14:02:31`, for what follows each other. */
  readonly second: Format;
  /** `Fri 14:00`, of what lies within a week. */
  readonly hour: Format;
  /** `Nov 20`, of a day that was counted in UTC. */
  readonly utcDay: Format;
  /** `Sunday, November 22, 2026 at 09:30:00 GMT+1`: for who wants to know. */
  readonly exact: Format;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #day: Format;
  readonly #dayOfYear: Format;
  readonly #date: Format;
  /** By the number of the quarter of an hour: to format takes long where there are thousands. */
  readonly #dates = new Map<number, string>();
  readonly #year: Format;

  /** `timeZone`: undefined for the browser's. */
  constructor(locale: string, timeZone: string | undefined) {
    const zone = timeZone === undefined ? {} : { timeZone };
    const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...zone, ...options });
    // `2:58 PM`, but `02:58`.
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

  /** `now`, `3 min ago`, `2 hr ago`; from six hours on the time of day: `07:00`. A list groups by day besides. */
  short(atMs: number, nowMs: number): string {
    const seconds = Math.round((nowMs - atMs) / 1_000);
    // A clock that is a little ahead of ours.
    if (seconds < MINUTE_S) return texts.now;
    if (seconds < HOUR_S) return this.#relative.format(-Math.floor(seconds / MINUTE_S), 'minute');
    if (seconds < RELATIVE_UP_TO_S) return this.#relative.format(-Math.floor(seconds / HOUR_S), 'hour');
    return this.clock(atMs);
  }

  /**
   * The same, with the day where that is not today: `yesterday, 07:00`; and of what is still to come, when that is. For
   * what is in no list by days.
   */
  dated(atMs: number, nowMs: number): string {
    const isAhead = atMs - nowMs >= MINUTE_S * 1_000;
    return this.#isSameDay(atMs, nowMs) && !isAhead ? this.short(atMs, nowMs) : this.since(atMs, nowMs);
  }

  /** `14:02`, `yesterday, 14:02`, `tomorrow, 14:02`: since or until when something is so. Within a sentence. */
  since(atMs: number, nowMs: number): string {
    const clock = this.clock(atMs);
    if (this.#isSameDay(atMs, nowMs)) return clock;
    if (this.#isDayBefore(nowMs, atMs)) return texts.tomorrowAt(clock);
    return this.#isDayBefore(atMs, nowMs) ? texts.yesterdayAt(clock) : `${this.day(atMs, nowMs)}, ${clock}`;
  }

  /** `at 14:02`, `tomorrow, 14:02`: when something happens. Within a sentence. */
  when(atMs: number, nowMs: number): string {
    const since = this.since(atMs, nowMs);
    return this.#isSameDay(atMs, nowMs) ? texts.at(since) : since;
  }

  /** `Today`, `Yesterday`, `Tomorrow`, `Friday, November 20`, and from another year `March 3, 2025`. */
  day(atMs: number, nowMs: number): string {
    if (this.#isSameDay(atMs, nowMs)) return texts.today;
    if (this.#isDayBefore(atMs, nowMs)) return texts.yesterday;
    if (this.#isDayBefore(nowMs, atMs)) return texts.tomorrow;
    const isThisYear = this.#year(atMs) === this.#year(nowMs);
    return isThisYear ? this.#day(atMs) : this.#dayOfYear(atMs);
  }

  /** What two times of the same day have in common: `11/22/2026`. */
  date(atMs: number): string {
    const quarter = Math.floor(atMs / QUARTER_MS);
    const date = this.#dates.get(quarter) ?? this.#date(atMs);
    this.#dates.set(quarter, date);
    return date;
  }

  #isDayBefore(atMs: number, nowMs: number): boolean {
    if (atMs >= nowMs) return false;
    // By the last hour before that day, as days have 23 and 25 hours as well.
    let beforeMs = nowMs;
    while (this.#isSameDay(beforeMs, nowMs)) beforeMs -= HOUR_S * 1_000;
    return this.#isSameDay(atMs, beforeMs);
  }

  #isSameDay(aMs: number, bMs: number): boolean {
    return this.date(aMs) === this.date(bMs);
  }
}

/** As the browser writes them, or as was chosen in the settings. */
export const times = new Times(locale, timeZone);

/** Whether `short` says how long ago it was, which is another text later. */
export function isRelative(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < RELATIVE_UP_TO_S * 1_000;
}

/** A timestamp of the API. */
export function msOf(timestamp: string): number {
  return Date.parse(timestamp);
}
