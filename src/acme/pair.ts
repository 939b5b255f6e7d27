import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Validity } from './plan.ts';

/** Returns the validity of a pair: key and chain, PEM in one text. */
export function validityOf(pair: string): Validity {
  const { validFrom, validTo } = new X509Certificate(pair);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

/** Returns why a new pair cannot be served; null: it can. */
export function whyUnusable(pair: string, domains: readonly string[]): string | null {
  try {
    const certificate = new X509Certificate(pair);
    if (!certificate.checkPrivateKey(createPrivateKey(pair))) return 'it issued a certificate for another key';
    const missing = domains.find((domain) => certificate.checkHost(domain) === undefined);
    if (missing !== undefined) return `it issued a certificate that is not for ${missing}`;
    // Also reads the chain.
    createSecureContext({ cert: pair, key: pair });
    return null;
  } catch (error) {
    return `it issued a certificate that the server cannot use: ${(error as Error).message}`;
  }
}
