import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Validity } from './plan.ts';

/** Of the certificate of a pair: a key with its chain, PEM in one text. */
export function validityOf(pair: string): Validity {
  const { validFrom, validTo } = new X509Certificate(pair);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

/** Why a pair that has come cannot be served; null: it can. */
export function whyUnusable(pair: string, domains: readonly string[]): string | null {
  try {
    const certificate = new X509Certificate(pair);
    if (!certificate.checkPrivateKey(createPrivateKey(pair))) return 'what it gave is for another key';
    const missing = domains.find((domain) => certificate.checkHost(domain) === undefined);
    return missing === undefined ? null : `what it gave is not for ${missing}`;
  } catch {
    return 'what it gave is no certificate';
  }
}
