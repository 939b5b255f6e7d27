import forge from 'node-forge';
import { certify, DNS_NAME, IP_ADDRESS, makeRsaKeys, serverExtensions } from '../acme/certify.ts';

/** The sandbox's certificate authority, in PEM. */
export interface Authority {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Names in the certificate: loopback, and hosts that vendors' libraries insist on. */
const DNS_NAMES = [
  'localhost',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
];
const LIFETIME_DAYS = 3650;

/** RSA, like the vendors' own chains. */
export async function makeAuthority(nowMs: number): Promise<Authority> {
  const keys = await makeRsaKeys();
  const name = [{ name: 'commonName', value: 'pushctl sandbox CA' }];
  const certPem = certify({
    publicKeyPem: keys.publicKey,
    subject: name,
    issuer: name,
    signingKeyPem: keys.privateKey,
    nowMs,
    days: LIFETIME_DAYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      { name: 'subjectKeyIdentifier' },
    ],
  });
  return { certPem, keyPem: keys.privateKey };
}

/** Makes a certificate for loopback addresses and `DNS_NAMES`. */
export async function makeServerCertificate(
  authority: Authority,
  nowMs: number,
): Promise<{ cert: string; key: string }> {
  const keys = await makeRsaKeys();
  const cert = certify({
    publicKeyPem: keys.publicKey,
    subject: [{ name: 'commonName', value: 'pushctl sandbox' }],
    issuer: forge.pki.certificateFromPem(authority.certPem).subject.attributes,
    signingKeyPem: authority.keyPem,
    nowMs,
    days: LIFETIME_DAYS,
    extensions: serverExtensions([
      ...DNS_NAMES.map((value) => ({ type: DNS_NAME, value })),
      ...['127.0.0.1', '::1'].map((ip) => ({ type: IP_ADDRESS, ip })),
    ]),
  });
  return { cert, key: keys.privateKey };
}
