import type { X509Certificate } from 'node:crypto';
import { acmeFindings } from '../../acme/findings.ts';
import { validityOf } from '../../acme/pair.ts';
import type { Validity } from '../../acme/plan.ts';
import { authorityOf } from '../../acme/problem.ts';
import { type AcmeState, freshState, TlsFolder, wanted } from '../../acme/state.ts';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { type Finding, fail, ok } from '../../process/finding.ts';
import { isFor } from './certificate.ts';

const CHECK = 'certificate';
const DAY_MS = 86_400_000;

/** What the certificate is that the server gets by itself: the one it shows, or the one that is there for its start. */
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
      return [ok(CHECK, `the server asks ${authority} for one as it starts`)];
    const findings = acmeFindings({ settings, state: known, served: held, isAsking: false, unkept: null }, wallMs);
    return findings.length > 0 || held === null ? findings : [good(authority, held.toMs, wallMs)];
  }
  // The server says itself what is wrong with its renewal, and why it has none.
  if (served === null || served.issuer === served.subject) return [];
  const host = new URL(baseUrlOf(config)).hostname;
  if (!isFor(served, host)) {
    return [
      fail(CHECK, `is not for ${host}`, `have it in tls.acme.domains, or change base_url; then restart the service`),
    ];
  }
  return [good(authority, Date.parse(served.validTo), wallMs)];
}

function good(authority: string, endsAtMs: number, wallMs: number): Finding {
  return ok(
    CHECK,
    `is from ${authority}, which renews it in time, and good for ${Math.floor((endsAtMs - wallMs) / DAY_MS)} days`,
  );
}

/** Nothing, where it cannot be read. Root reads it as the owner of the folder, who could have put a link there. */
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
