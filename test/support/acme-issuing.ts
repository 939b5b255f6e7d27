import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import forge from 'node-forge';
import { DNS_NAME } from '../../src/acme/certify.ts';
import type { Authority } from '../../src/sandbox/credentials.ts';

const { asn1, pki } = forge;
/** pkcs-9-at-extensionRequest (RFC 2986), and subjectAltName. */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALT_NAME = '2.5.29.17';

export interface Issue {
  readonly publicKeyDer: Buffer;
  readonly domains: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** A certificate for any kind of key, which the library makes for RSA alone. PEM, with the authority's behind it. */
export function issue(authority: Authority, { publicKeyDer, domains, fromMs, toMs }: Issue): string {
  const issuer = pki.certificateFromPem(authority.certPem);
  const cert = pki.createCertificate();
  cert.publicKey = issuer.publicKey;
  cert.serialNumber = `00${(randomBytes(15).toString('hex')).replace(/^./, '9')}`;
  cert.validity.notBefore = new Date(fromMs);
  cert.validity.notAfter = new Date(toMs);
  cert.setIssuer(issuer.subject.attributes);
  cert.setExtensions([
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: domains.map((value) => ({ type: DNS_NAME, value })) },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
  ]);
  const oid = String(pki.oids.sha256WithRSAEncryption);
  cert.signatureOid = oid;
  cert.siginfo.algorithmOid = oid;
  // @ts-expect-error: the types forget it.
  const tbs: forge.asn1.Asn1 = pki.getTBSCertificate(cert);
  (tbs.value as forge.asn1.Asn1[])[6] = fromDer(publicKeyDer);
  const signature = sign('sha256', toDer(tbs), authority.keyPem).toString('latin1');
  const { UNIVERSAL } = asn1.Class;
  const algorithm = asn1.create(UNIVERSAL, asn1.Type.SEQUENCE, true, [
    asn1.create(UNIVERSAL, asn1.Type.OID, false, asn1.oidToDer(oid).getBytes()),
    asn1.create(UNIVERSAL, asn1.Type.NULL, false, ''),
  ]);
  const bits = asn1.create(UNIVERSAL, asn1.Type.BITSTRING, false, `\0${signature}`);
  const whole = toDer(asn1.create(UNIVERSAL, asn1.Type.SEQUENCE, true, [tbs, algorithm, bits]));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n${authority.certPem}`;
}

/** A key with a certificate for it, as the server keeps them. */
export function issuePair(authority: Authority, about: Omit<Issue, 'publicKeyDer'>): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const chain = issue(authority, { ...about, publicKeyDer: publicKey.export({ format: 'der', type: 'spki' }) });
  return `${privateKey.export({ format: 'pem', type: 'pkcs8' })}${chain}`;
}

/** The names in a request (RFC 2986); null: it is none, or not signed by its own key. */
export function readRequest(der: Buffer): Pick<Issue, 'publicKeyDer' | 'domains'> | null {
  const [info, , signature] = valuesOf(fromDer(der));
  const [, , publicKey, attributes] = valuesOf(info);
  if (!info || !signature || !publicKey || !attributes) return null;
  const publicKeyDer = toDer(publicKey);
  const key = createPublicKey({ key: publicKeyDer, format: 'der', type: 'spki' });
  const bits = Buffer.from(String(signature.value), 'latin1').subarray(1);
  if (!verify('sha256', toDer(info), key, bits)) return null;
  return { publicKeyDer, domains: namesIn(attributes) };
}

function namesIn(attributes: forge.asn1.Asn1): readonly string[] {
  const requested = valuesOf(attributes).find((attribute) => oidOf(attribute) === EXTENSION_REQUEST);
  const extensions = valuesOf(valuesOf(valuesOf(requested)[1])[0]);
  const names = extensions.find((extension) => oidOf(extension) === ALT_NAME);
  const value = valuesOf(names).at(-1)?.value;
  if (value === undefined) return [];
  const inner = typeof value === 'string' ? fromDer(Buffer.from(value, 'latin1')) : value[0];
  return valuesOf(inner).map((name) => String(name.value));
}

function oidOf(sequence: forge.asn1.Asn1): string {
  return asn1.derToOid(String(valuesOf(sequence)[0]?.value));
}

function valuesOf(node: forge.asn1.Asn1 | undefined): readonly forge.asn1.Asn1[] {
  return Array.isArray(node?.value) ? node.value : [];
}

/** Bits are not looked into: what is in a key is the key's. */
function fromDer(der: Buffer): forge.asn1.Asn1 {
  return asn1.fromDer(forge.util.createBuffer(der.toString('latin1')), { decodeBitStrings: false } as never);
}

function toDer(node: forge.asn1.Asn1): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), 'latin1');
}
