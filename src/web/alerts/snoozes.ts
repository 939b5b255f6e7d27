import { serverNow } from '../clock.ts';
import { timeZone } from '../format/locale.ts';
import { type Times, times } from '../format/time.ts';
import { alerts as texts } from '../texts/alerts.ts';

const SHORTEST_S = 300;
const LONGEST_S = 86_400;
const EIGHT = '08:00';
/** A slightly wrong clock must not say 07:59. */
const MARGIN_MS = 2_000;
/** The search step: in every time zone, eight ends a quarter hour. */
const QUARTER_MS = 900_000;

/** The offered snoozes, in seconds. */
export const SNOOZES = {
  halfAnHour: () => 1_800,
  twoHours: () => 7_200,
  untilEight: untilEightS,
} as const;

/** Returns a snooze button's text: `Until 08:00`, `Until tomorrow, 08:00`. */
export function snoozeLabel(name: keyof typeof SNOOZES, nowMs: number, clock: Times = times): string {
  if (name !== 'untilEight') return texts.snoozes[name];
  return texts.snoozes.untilEight(clock.since(nowMs + 1_000 * untilEightS(new Date(nowMs)), nowMs));
}

/** Returns the seconds until 8:00 in the chosen time zone, within the server's limits. */
export function untilEightS(now = new Date(serverNow())): number {
  const seconds = Math.ceil((nextEight(now).getTime() + MARGIN_MS - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, SHORTEST_S), LONGEST_S);
}

/** Returns the entered time in seconds. The server checks its bounds. */
export function secondsOf(form: FormData): number {
  return Number(form.get('count')) * (form.get('unit') === 'hours' ? 3_600 : 60);
}

/** Returns the next 8:00 in a time zone; undefined: the browser's. */
export function nextEight(now: Date, zone = timeZone): Date {
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(zone !== undefined && { timeZone: zone }),
  });
  let quarter = Math.floor(now.getTime() / QUARTER_MS) + 1;
  while (clock.format(quarter * QUARTER_MS) !== EIGHT) quarter += 1;
  return new Date(quarter * QUARTER_MS);
}
