import { generateKeyPairSync } from 'node:crypto';

/** A new key for an account with an authority: P-256, which each must take (RFC 8555, section 6.2). PEM. */
export function makeAccountKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
