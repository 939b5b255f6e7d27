import type { Schema } from '../../api/client.ts';
import { locale } from '../../format/locale.ts';
import { Times } from '../../format/time.ts';
import { quietHours as texts } from '../../texts/channels.ts';

export type QuietHours = NonNullable<Schema<'Channel'>['quiet']>;
export type Day = NonNullable<QuietHours['days']>[number];

export const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const DAY_MS = 86_400_000;
const A_MONDAY_MS = Date.UTC(2024, 0, 1);
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
const inUtc = new Times(locale, 'UTC');

/** `Mon`, in the page's language. */
export function shortDay(day: Day): string {
  return weekday.format(A_MONDAY_MS + DAYS.indexOf(day) * DAY_MS);
}

export function quietWords({ from, to, timezone, days }: QuietHours): string {
  const hours = from === to ? texts.allDay : texts.hours(clock(from), clock(to));
  const on = days === undefined || days.length === DAYS.length ? texts.everyDay : days.map(shortDay).join(', ');
  return `${hours}, ${on} (${timezone.replaceAll('_', ' ')})`;
}

/** Returns a wall-clock time in the usual format. */
function clock(time: string): string {
  return inUtc.clock(Date.parse(`2024-01-01T${time}Z`));
}
