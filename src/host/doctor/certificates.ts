import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { acmeFindings } from '../../acme/findings.ts';
import { type Validity, validityOf } from '../../acme/plan.ts';
import { authorityOf } from '../../acme/problem.ts';
import { type AcmeState, freshState, TlsFolder, wanted } from '../../acme/state.ts';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import { addressIn } from '../../contract/webhook-addresses.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { type CertificateEnd, certificateEnd, type Finding, fail, graded, ok } from '../../process/finding.ts';

const CHECK = 'certificate';

/**
 * Checks the server's own certificate: validity, name, key, and whether it is served. `served`: null if the server does
 * not run.
 */
export function checkCertificate(
  config: Pick<Config, 'tls' | 'baseUrl'> & Partial<Pick<Config, 'handedOver'>>,
  nowMs: number,
  served: X509Certificate | null = null,
): Finding[] {
  const { tls, baseUrl } = config;
  if (tls === null || tls.cert == null) return [];
  const read = (file: string) => readNamedFile(readablePath(config, file));
  const unread = [tls.cert, tls.key].flatMap((file) => whyUnread(file, read));
  if (unread.length > 0) return unread.map((why) => fail(CHECK, `${why}${meanwhile(served, nowMs)}`, PEM_FILES));
  try {
    const certificate = new X509Certificate(read(tls.cert));
    if (!certificate.checkPrivateKey(createPrivateKey(read(tls.key)))) {
      return [fail(CHECK, `${tls.cert} and ${tls.key} do not belong together${meanwhile(served, nowMs)}`, MATCH)];
    }
    if (served !== null && served.fingerprint256 !== certificate.fingerprint256) {
      const isNewer = Date.parse(certificate.validFrom) > Date.parse(served.validFrom);
      const lies = `${tls.cert} holds ${isNewer ? 'a newer one' : 'another one'}, ${stateOf(certificate, nowMs)}`;
      const message = `the server shows a certificate ${stateOf(served, nowMs)}; ${lies}`;
      return [fail(CHECK, message, 'systemctl reload pushctl; if that does not help: journalctl -u pushctl -n 50')];
    }
    return [judged(certificate, tls.cert, baseUrl, nowMs, served !== null)];
  } catch {
    return [
      fail(CHECK, `${tls.cert} and ${tls.key} are not a certificate and its key${meanwhile(served, nowMs)}`, PEM_FILES),
    ];
  }
}

const PEM_FILES = 'set PEM files in [tls]';
const MATCH = 'replace them with a matching pair; the server loads it by itself';

/** Returns why a file is unreadable, as a sentence; empty: readable. */
function whyUnread(file: string, read: (file: string) => Buffer): readonly string[] {
  try {
    read(file);
    return [];
  } catch (error) {
    return [`${file} ${whyUnreadable(error)}`];
  }
}

function judged(
  certificate: X509Certificate,
  file: string,
  baseUrl: string | null,
  nowMs: number,
  isServed: boolean,
): Finding {
  const { state, days } = endOf(certificate, nowMs);
  const renew = 'renew it; the server loads the new one by itself';
  if (state === 'ended') return fail(CHECK, `${file} has expired`, renew);
  const host = baseUrl === null ? null : new URL(baseUrl).hostname;
  if (host !== null && !isFor(certificate, host)) {
    return fail(CHECK, `${file} is not for ${host}`, 'get a certificate for the host in base_url, or change base_url');
  }
  if (state !== 'good')
    return graded(state === 'late' ? 'fail' : 'warn', CHECK, `${file} expires in ${days} days`, renew);
  return ok(CHECK, `${file} is ${isServed ? 'in use, and ' : ''}valid for ${days} days`);
}

/** Describes the effect on clients of unusable files. */
function meanwhile(served: X509Certificate | null, nowMs: number): string {
  return served === null ? '' : `; the server keeps its previous certificate, ${stateOf(served, nowMs)}`;
}

function stateOf(certificate: X509Certificate, nowMs: number): string {
  const { state, days } = endOf(certificate, nowMs);
  return state === 'ended' ? 'which has expired' : `valid for ${days} days`;
}

function endOf({ validFrom, validTo }: X509Certificate, nowMs: number): CertificateEnd {
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  return certificateEnd(toMs, nowMs, toMs - fromMs);
}

/** `host`: of a URL, so IPv6 addresses have brackets. */
function isFor(certificate: X509Certificate, host: string): boolean {
  const address = addressIn(host);
  const match = address === null ? certificate.checkHost(host) : certificate.checkIP(address);
  return match !== undefined;
}

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

const DEADLINE_MS = 5_000;
/** Wildcard addresses cannot be connected to. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the certificate shown to clients; null: none, or no answer. `url`: the reported listening address. */
export function servedCertificate(
  { listen, tls }: Pick<Config, 'listen' | 'tls'>,
  url?: string,
): Promise<X509Certificate | null> {
  return tls === null ? Promise.resolve(null) : shownAt(url === undefined ? listen : listenerOf(url));
}

/** Does the same for any TLS server. */
export function certificateAt(url: string): Promise<X509Certificate | null> {
  return shownAt(listenerOf(url));
}

function shownAt({ host, port }: Config['listen']): Promise<X509Certificate | null> {
  if (port === 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK[host] ?? host, port, rejectUnauthorized: false });
    // The socket's own timeout restarts with every handshake byte.
    const timer = setTimeout(() => socket.destroy(), DEADLINE_MS);
    const end = (certificate: X509Certificate | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(certificate);
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? null));
    socket.once('error', () => end(null));
    socket.once('close', () => end(null));
  });
}

export function listenerOf(url: string): Config['listen'] {
  const { protocol, hostname, port } = new URL(url);
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || (protocol === 'http:' ? 80 : 443) };
}
