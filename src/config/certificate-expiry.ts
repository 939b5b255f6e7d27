const DAY_MS = 86_400_000;
/** Renewals are usually made 30 days before the end: with less than this left, one has failed. */
const SOON_DAYS = 14;

/** How a certificate stands that ends then. `days`: whole ones that are left, below 0 where it has ended. */
export function certificateEnd(endsAtMs: number, nowMs: number): { state: 'good' | 'soon' | 'ended'; days: number } {
  const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
  if (endsAtMs <= nowMs) return { state: 'ended', days };
  return { state: days < SOON_DAYS ? 'soon' : 'good', days };
}
