import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import { OperatorProblem } from '../../process/problem.ts';

/**
 * Only forward secrecy with authenticated encryption; Node's defaults include RSA key exchange and CBC with SHA-1.
 * https://wiki.mozilla.org/Security/Server_Side_TLS, "intermediate", without finite-field groups.
 */
const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

export interface TlsPair {
  readonly options: Readonly<Record<'cert' | 'key', Buffer>> & SecureContextOptions;
  /** Expiry of the certificate, not of the chain; null: untrusted anyway. */
  readonly goodUntilMs: number | null;
  readonly isSelfSigned: boolean;
}

export type TlsFiles = Pick<Config, 'tls'> & Partial<Pick<Config, 'handedOver'>>;

/** Returns key and chain from one PEM text. Throws if they do not match. */
export function pairOf(pem: string): TlsPair {
  return checked(Buffer.from(pem), Buffer.from(pem));
}

/** Returns a pair for the time until there is one that clients trust. */
export function standIn(pem: string): TlsPair {
  return { ...pairOf(pem), goodUntilMs: null };
}

/** Reads and matches both files; null without [tls]. Throws OperatorProblem. */
export function readPair(config: TlsFiles): TlsPair | null {
  if (config.tls === null || config.tls.cert == null) return null;
  const { cert, key } = config.tls;
  const read = (setting: string, path: string) => readPem(setting, path, readablePath(config, path));
  const pems = [read('tls.cert', cert), read('tls.key', key)] as const;
  try {
    return checked(...pems);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorProblem(`tls: ${cert} and ${key} do not work together: ${reason}`);
  }
}

function checked(cert: Buffer, key: Buffer): TlsPair {
  const options = { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS } as const;
  createSecureContext(options);
  const certificate = new X509Certificate(cert);
  const { issuer, subject, publicKey } = certificate;
  const isSelfSigned = issuer === subject && certificate.verify(publicKey);
  return { options, goodUntilMs: Date.parse(certificate.validTo), isSelfSigned };
}

/** Reads a replacement for the pair in use. See `readPair`. */
export function tryPair(config: TlsFiles): { readonly fresh: TlsPair | null; readonly problem: string | null } {
  try {
    return { fresh: readPair(config), problem: null };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { fresh: null, problem: `${error.message}; the old certificate stays in use` };
  }
}

export function isSame(a: TlsPair, b: TlsPair | null): boolean {
  return b !== null && a.options.cert.equals(b.options.cert) && a.options.key.equals(b.options.key);
}

function readPem(setting: string, path: string, place: string): Buffer {
  try {
    return readNamedFile(place);
  } catch (error) {
    throw new OperatorProblem(`${setting}: ${path} ${whyUnreadable(error)}`);
  }
}
