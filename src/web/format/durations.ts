import { locale } from './locale.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** `2 hours`, `90 seconds`: the largest whole unit. */
export function duration(seconds: number): string {
  if (seconds % DAY_S === 0) return counted(seconds / DAY_S, 'day');
  if (seconds % HOUR_S === 0) return counted(seconds / HOUR_S, 'hour');
  return seconds % MINUTE_S === 0 ? counted(seconds / MINUTE_S, 'minute') : counted(seconds, 'second');
}

/** Returns a choice of durations in seconds for a `SelectField`, including an unusual current one. */
export function durationChoice(choices: readonly number[], current: number) {
  const all = [...new Set([...choices, current])].sort((a, b) => a - b);
  return { of: all.map((seconds) => [String(seconds), duration(seconds)] as const), chosen: String(current) };
}

function counted(count: number, unit: 'day' | 'hour' | 'minute' | 'second'): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

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

const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

/** Returns the 99th percentile: `0.9 s`, `215 ms`, `4 min`; a dash if none was accepted. */
export function latencyText(latency: { readonly p99_ms: number } | null, writtenIn = locale): string {
  if (latency === null) return '–';
  const ms = latency.p99_ms;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toLocaleString(writtenIn, TENTHS)} s`;
  if (ms < 100_000) return `${Math.round(ms / 1_000)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
