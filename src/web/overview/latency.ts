import { locale } from '../format/locale.ts';

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
