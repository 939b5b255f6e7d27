export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface LocalTime {
  /** `mon` … `sun`. */
  readonly day: string;
  /** `22:05`. */
  readonly time: string;
}

/** Kept formatters; about 600 zones exist. */
const MOST_KEPT = 700;

/** Reads zones' clocks; null: unknown to this Node. Keeps each formatter, which takes 50 µs to make. */
export function localTimes(): (timezone: string, atMs: number) => LocalTime | null {
  const formatters = new Map<string, Intl.DateTimeFormat | null>();

  function formatterOf(timeZone: string): Intl.DateTimeFormat | null {
    const kept = formatters.get(timeZone);
    if (kept !== undefined) return kept;
    const options = { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    const made = isTimezone(timeZone) ? new Intl.DateTimeFormat('en-US', options) : null;
    if (formatters.size >= MOST_KEPT) formatters.clear();
    formatters.set(timeZone, made);
    return made;
  }

  return (timezone, atMs) => {
    const parts = formatterOf(timezone)?.formatToParts(atMs);
    if (parts === undefined) return null;
    const part = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
    return { day: part('weekday').toLowerCase(), time: `${part('hour')}:${part('minute')}` };
  };
}
