import { locale } from '../format/locale.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** `2 hours`, `90 seconds`: the largest whole unit. */
export function duration(seconds: number): string {
  if (seconds % DAY_S === 0) return counted(seconds / DAY_S, 'day');
  if (seconds % HOUR_S === 0) return counted(seconds / HOUR_S, 'hour');
  return seconds % MINUTE_S === 0 ? counted(seconds / MINUTE_S, 'minute') : counted(seconds, 'second');
}

/** Returns the durations for `Options`, including an unusual current one. */
export function durationOptions(choices: readonly number[], current: number): [value: string, text: string][] {
  const all = [...new Set([...choices, current])].sort((a, b) => a - b);
  return all.map((seconds) => [String(seconds), duration(seconds)]);
}

function counted(count: number, unit: 'day' | 'hour' | 'minute' | 'second'): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
