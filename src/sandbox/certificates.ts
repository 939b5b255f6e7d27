import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate authority of the sandbox's own. Both are PEM. */
export interface Authority {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * The names the server's certificate is good for: the loopback ones, and the hosts that the vendors' libraries insist
 * on.
 */
const DNS_NAMES = [
  'localhost',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
];
const LIFETIME_DAYS = 3650;
const DNS_NAME = 2;
const IP_ADDRESS = 7;

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
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      { name: 'subjectKeyIdentifier' },
    ],
  });
  return { certPem, keyPem: keys.privateKey };
}

/** A server certificate for 127.0.0.1 and `DNS_NAMES`, signed by the authority. */
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
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...DNS_NAMES.map((value) => ({ type: DNS_NAME, value })), { type: IP_ADDRESS, ip: '127.0.0.1' }],
      },
    ],
  });
  return { cert, key: keys.privateKey };
}

export function makeRsaKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

interface CertificateRequest {
  readonly publicKeyPem: string;
  readonly subject: forge.pki.CertificateField[];
  readonly issuer: forge.pki.CertificateField[];
  readonly signingKeyPem: string;
  readonly nowMs: number;
  readonly extensions: object[];
}

function certify(request: CertificateRequest): string {
  const cert = forge.pki.createCertificate();
  cert.publicKey = forge.pki.publicKeyFromPem(request.publicKeyPem);
  // The first byte keeps the number positive and in its shortest form: OpenSSL takes no other.
  cert.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`;
  // A day back: clients whose clock is a little behind still accept it.
  cert.validity.notBefore = new Date(request.nowMs - 86_400_000);
  cert.validity.notAfter = new Date(request.nowMs + LIFETIME_DAYS * 86_400_000);
  cert.setSubject(request.subject);
  cert.setIssuer(request.issuer);
  cert.setExtensions(request.extensions);
  cert.sign(signingKey(cert, request.signingKeyPem), forge.md.sha256.create());
  return forge.pki.certificateToPem(cert);
}

/** A key that signs by OpenSSL: the library's own arithmetic takes 80 ms for a signature. */
function signingKey(cert: forge.pki.Certificate, keyPem: string): forge.pki.rsa.PrivateKey {
  const signNatively = () => {
    const signed = Buffer.from(forge.asn1.toDer(cert.tbsCertificate).getBytes(), 'latin1');
    return sign('sha256', signed, keyPem).toString('latin1');
  };
  return Object.assign(forge.pki.privateKeyFromPem(keyPem), { sign: signNatively });
}
