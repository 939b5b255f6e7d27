const DAY_MS = 86_400_000;
/** Certificates are usually renewed 30 days before they expire: with less than this left, a renewal has failed. */
const SOON_DAYS = 14;

/** The state of a certificate that expires then. `days`: whole days left, negative once it has expired. */
export function certificateEnd(endsAtMs: number, nowMs: number): { state: 'good' | 'soon' | 'ended'; days: number } {
  const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
  if (endsAtMs <= nowMs) return { state: 'ended', days };
  return { state: days < SOON_DAYS ? 'soon' : 'good', days };
}
