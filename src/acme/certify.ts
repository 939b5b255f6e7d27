import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** Kinds of alternative names (RFC 5280, section 4.2.1.6). */
export const DNS_NAME = 2;
export const IP_ADDRESS = 7;

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
  readonly days: number;
  readonly extensions: object[];
}

/** A certificate in PEM form. */
export function certify(request: CertificateRequest): string {
  const cert = forge.pki.createCertificate();
  cert.publicKey = forge.pki.publicKeyFromPem(request.publicKeyPem);
  // Keeps the number positive and shortest, as OpenSSL requires.
  cert.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`;
  // A day back, for clients whose clock is a little behind.
  cert.validity.notBefore = new Date(request.nowMs - 86_400_000);
  cert.validity.notAfter = new Date(request.nowMs + request.days * 86_400_000);
  cert.setSubject(request.subject);
  cert.setIssuer(request.issuer);
  cert.setExtensions(request.extensions);
  cert.sign(signingKey(cert, request.signingKeyPem), forge.md.sha256.create());
  return forge.pki.certificateToPem(cert);
}

/** Returns extensions for servers only. `altNames`: names and addresses. */
export function serverExtensions(altNames: object[]): object[] {
  return [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames },
  ];
}

/** Signs by OpenSSL: the library's arithmetic takes 80 ms. */
function signingKey(cert: forge.pki.Certificate, keyPem: string): forge.pki.rsa.PrivateKey {
  const signNatively = () => {
    const signed = Buffer.from(forge.asn1.toDer(cert.tbsCertificate).getBytes(), 'latin1');
    return sign('sha256', signed, keyPem).toString('latin1');
  };
  return Object.assign(forge.pki.privateKeyFromPem(keyPem), { sign: signNatively });
}

const DAYS = 30;

/** Makes an untrusted stand-in until the first certificate: key, then certificate. */
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
    extensions: serverExtensions(domains.map((value) => ({ type: DNS_NAME, value }))),
  });
  return `${privateKey}${cert}`;
}
