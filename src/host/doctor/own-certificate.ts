import type { X509Certificate } from 'node:crypto';
import { acmeFindings } from '../../acme/findings.ts';
import { validityOf } from '../../acme/pair.ts';
import type { Validity } from '../../acme/plan.ts';
import { authorityOf } from '../../acme/problem.ts';
import { type AcmeState, freshState, TlsFolder, wanted } from '../../acme/state.ts';
import { certificateEnd } from '../../config/certificate-expiry.ts';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { type Finding, fail, ok } from '../../process/finding.ts';
import { isFor } from './certificate.ts';

const CHECK = 'certificate';

/** Checks the ACME certificate: the served one, or the next start's. */
export function checkOwnCertificate(
  config: Pick<Config, 'tls' | 'baseUrl' | 'listen' | 'dataDir'>,
  wallMs: number,
  { isRunning, served }: { readonly isRunning: boolean; readonly served: X509Certificate | null },
): readonly Finding[] {
  const settings = config.tls?.acme;
  if (!settings) return [];
  const authority = authorityOf(settings);
  if (!isRunning) {
    const { state, held } = kept(config.dataDir);
    const known = state?.wanted === wanted(settings) ? state : freshState(settings);
    if (held === null && known.problem === null)
      return [ok(CHECK, `the server asks ${authority} for one when it starts`)];
    const findings = acmeFindings({ settings, state: known, served: held, isAsking: false, unkept: null }, wallMs);
    return findings.length > 0 || held === null ? findings : good(authority, held, wallMs);
  }
  // The server itself reports problems of its renewal.
  if (served === null || served.issuer === served.subject) return [];
  const host = new URL(baseUrlOf(config)).hostname;
  if (!isFor(served, host)) {
    const isConfigured = settings.domains.includes(host);
    const advice = isConfigured ? RESTART : `add ${host} to tls.acme.domains, or change base_url; then: ${RESTART}`;
    return [fail(CHECK, `is not for ${host}`, advice)];
  }
  const validity = { fromMs: Date.parse(served.validFrom), toMs: Date.parse(served.validTo) };
  return good(authority, validity, wallMs);
}

const RESTART = 'systemctl restart pushctl';

/** Returns nothing if invalid: the server reports that, by the authority's clock. */
function good(authority: string, { fromMs, toMs }: Validity, wallMs: number): readonly Finding[] {
  const { state, days } = certificateEnd(toMs, wallMs, toMs - fromMs);
  if (state !== 'good') return [];
  return [ok(CHECK, `is from ${authority}, which renews it in time, and is valid for ${days} days`)];
}

/** Returns nothing if unreadable. Root reads as the folder's owner, who could plant links. */
function kept(dataDir: string): { readonly state: AcmeState | null; readonly held: Validity | null } {
  const folder = new TlsFolder(dataDir);
  using _ = actAsOwnerOf(dataDir);
  try {
    const pair = folder.pair();
    return { state: folder.state(), held: pair === null ? null : validityOf(pair) };
  } catch {
    return { state: null, held: null };
  }
}
