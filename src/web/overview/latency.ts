/** `0.9 s`, `215 ms`, `4 min`: the time that 99 of 100 pushes stay below. A dash where nothing was accepted. */
export function latencyText(latency: { readonly p99_ms: number } | null): string {
  if (latency === null) return '–';
  const ms = latency.p99_ms;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
