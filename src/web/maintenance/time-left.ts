import { locale } from '../format/locale.ts';

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;

/** Returns `1 hr 20 min`, rounded up. */
export function timeLeft(leftMs: number): string {
  const minutes = Math.max(1, Math.ceil(leftMs / MINUTE_MS));
  const parts = [
    [Math.floor(minutes / HOUR_MIN), 'hour'],
    [minutes % HOUR_MIN, 'minute'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count))
    .join(' ');
}
