import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const DAY_MS = 86_400_000;
/** Renewals are usually made 30 days before. */
const SOON_DAYS = 14;

/** The server's own certificate, where it has one: in time, for its name, and with its key. */
export function checkCertificate({ tls, baseUrl }: Pick<Config, 'tls' | 'baseUrl'>, nowMs: number): Finding[] {
  if (tls === null) return [];
  const check = 'certificate';
  try {
    const certificate = new X509Certificate(readFileSync(tls.cert));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(tls.key)))) {
      return [fail(check, `${tls.cert} and ${tls.key} do not belong together`, 'set the pair that does')];
    }
    const days = Math.floor((Date.parse(certificate.validTo) - nowMs) / DAY_MS);
    const renew = 'renew it, then: systemctl reload pushctl';
    if (days < 0) return [fail(check, `${tls.cert} has expired`, renew)];
    const host = baseUrl === null ? null : new URL(baseUrl).hostname;
    if (host !== null && !isFor(certificate, host)) {
      return [fail(check, `${tls.cert} is not for ${host}`, 'get one for the host in base_url, or change base_url')];
    }
    if (days < SOON_DAYS) return [warn(check, `${tls.cert} expires in ${days} days`, renew)];
    return [ok(check, `${tls.cert} is good for ${days} days`)];
  } catch {
    return [
      fail(check, `${tls.cert} and ${tls.key} are no certificate and key that can be read`, 'set PEM files in [tls]'),
    ];
  }
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const match = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return match !== undefined;
}
