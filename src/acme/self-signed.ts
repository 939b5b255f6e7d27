import { certify, DNS_NAME, makeRsaKeys } from '../certify.ts';

const DAYS = 30;

/** A certificate that no client trusts, for connections until there is one: the key, and the certificate behind it. */
export async function makeSelfSigned(domains: readonly string[], nowMs: number): Promise<string> {
  const { publicKey, privateKey } = await makeRsaKeys();
  const name = [{ name: 'commonName', value: 'pushctl self-signed' }];
  const cert = certify({
    publicKeyPem: publicKey,
    subject: name,
    issuer: name,
    signingKeyPem: privateKey,
    nowMs,
    days: DAYS,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: domains.map((value) => ({ type: DNS_NAME, value })) },
    ],
  });
  return `${privateKey}${cert}`;
}
