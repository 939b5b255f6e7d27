import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type CertificateEnd, certificateEnd } from '../../config/certificate-expiry.ts';
import type { Config } from '../../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import { addressIn } from '../../contract/webhook-addresses.ts';
import { type Finding, fail, graded, ok } from '../../process/finding.ts';

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
export function isFor(certificate: X509Certificate, host: string): boolean {
  const address = addressIn(host);
  const match = address === null ? certificate.checkHost(host) : certificate.checkIP(address);
  return match !== undefined;
}
