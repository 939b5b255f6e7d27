import { generateKeyPairSync } from 'node:crypto';

/** Makes a PEM account key: P-256, which every authority takes (RFC 8555, section 6.2). */
export function makeAccountKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
