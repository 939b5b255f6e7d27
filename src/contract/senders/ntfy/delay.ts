/**
 * Parses ntfy's delays (https://docs.ntfy.sh/publish/#scheduled-delivery): Unix seconds, `30m`, `1h30m`, `3 days`.
 * Takes the documented English forms: `10am`, `tomorrow`, `tomorrow, 10am`, `Monday, 15:30`, `in 2 hours`. UTC, like
 * ntfy's server without a zone. Null: none of these.
 */
export function delayedUntil(text: string, nowMs: number): number | null {
  const given = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (/^\d{1,15}$/.test(given)) return Number(given) * 1_000;
  const inMs = lengthOf(given.replace(/^in /, ''));
  return inMs === null ? dateOf(given, nowMs) : nowMs + inMs;
}

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
/** In words, one alone. */
const WORDED = /^(\d{1,9}) ?(d|days?|h|hours?|m|mins?|minutes?|s|secs?|seconds?)$/;
/** Durations in Go's form, without units below a second. */
const GO = /^(?:(\d{1,9}(?:\.\d{1,9})?)h)?(?:(\d{1,9}(?:\.\d{1,9})?)m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?$/;

function lengthOf(text: string): number | null {
  const [, count, unit = ''] = WORDED.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS_MS[unit.charAt(0)] ?? 0);
  const [whole = '', hours = 0, minutes = 0, seconds = 0] = GO.exec(text) ?? [];
  return whole === '' ? null : Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DATE =
  /^(?:(today|tomorrow|(?:next |on |this )?(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)(?:,? (?:at )?|$))?(?:(\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/;
const DAY_MS = 86_400_000;

/** Parses day, time or both. Past times mean a day or week later. */
function dateOf(text: string, nowMs: number): number | null {
  const [, day, weekday, hour, minute, half] = DATE.exec(text.replace(/^at /, '')) ?? [];
  if (hour === undefined && (day === undefined || day === 'today')) return null;
  const timeMs = hour === undefined ? nowMs % DAY_MS : timeOf(hour, minute, half);
  if (timeMs === null) return null;
  const atMs = Math.floor(nowMs / DAY_MS) * DAY_MS + daysTo(day, weekday, nowMs) * DAY_MS + timeMs;
  if (atMs > nowMs) return atMs;
  return atMs + (weekday === undefined ? DAY_MS : 7 * DAY_MS);
}

function daysTo(day: string | undefined, weekday: string | undefined, nowMs: number): number {
  if (weekday === undefined) return day === 'tomorrow' ? 1 : 0;
  const wanted = WEEKDAYS.findIndex((name) => name.startsWith(weekday));
  return (wanted - new Date(nowMs).getUTCDay() + 7) % 7;
}

/** Rejects a bare number, as in `tomorrow, 10`. */
function timeOf(hour: string, minute: string | undefined, half: string | undefined): number | null {
  if (minute === undefined && half === undefined) return null;
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  const isHour = half === undefined ? hours < 24 : hours >= 1 && hours <= 12;
  if (!isHour || minutes > 59) return null;
  const ofDay = half === undefined ? hours : (hours % 12) + (half === 'pm' ? 12 : 0);
  return ofDay * 3_600_000 + minutes * 60_000;
}
