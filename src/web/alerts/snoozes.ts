import { serverNow } from '../clock.ts';
import { timeZone } from '../format/locale.ts';
import { type Times, times } from '../format/time.ts';
import { texts } from '../texts/alerts.ts';

const SHORTEST_S = 300;
const LONGEST_S = 86_400;
const EIGHT = '08:00';
/** A clock that is a little off must not say 07:59. */
const MARGIN_MS = 2_000;
/** In every time zone it is eight at the end of one. */
const QUARTER_MS = 900_000;

/** For how long an alert may be put off, in seconds. */
export const SNOOZES = {
  halfAnHour: () => 1_800,
  twoHours: () => 7_200,
  untilEight: untilEightS,
} as const;

/** What the button for it says: `Until 08:00`, `Until tomorrow, 08:00`. */
export function snoozeLabel(name: keyof typeof SNOOZES, nowMs: number, clock: Times = times): string {
  if (name !== 'untilEight') return texts.snoozes[name];
  return texts.snoozes.untilEight(clock.since(nowMs + 1_000 * untilEightS(new Date(nowMs)), nowMs));
}

/** Until it is eight in the morning in the time zone that times are shown in, as far as the server puts anything off. */
export function untilEightS(now = new Date(serverNow())): number {
  const seconds = Math.ceil((nextEight(now).getTime() + MARGIN_MS - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, SHORTEST_S), LONGEST_S);
}

/** What was filled in: a count of minutes or hours. The server says if that is too short or too long. */
export function secondsOf(form: FormData): number {
  return Number(form.get('count')) * (form.get('unit') === 'hours' ? 3_600 : 60);
}

/** When it is eight in the morning there next. `zone`: undefined for the browser's. */
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
