import { certificateSeverity } from '../process/finding.ts';

const DAY_MS = 86_400_000;

export interface CertificateEnd {
  readonly state: 'good' | 'soon' | 'late' | 'ended';
  /** Whole days left; 0: expired. */
  readonly days: number;
}

/** Returns a certificate's state by expiry. `lifeMs`: its validity, if known. */
export function certificateEnd(endsAtMs: number, nowMs: number, lifeMs?: number): CertificateEnd {
  const days = Math.max(0, Math.floor((endsAtMs - nowMs) / DAY_MS));
  if (endsAtMs <= nowMs) return { state: 'ended', days };
  const severity = certificateSeverity(endsAtMs, nowMs, lifeMs);
  if (severity === null) return { state: 'good', days };
  return { state: severity === 'fail' ? 'late' : 'soon', days };
}
