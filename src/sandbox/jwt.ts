import { type KeyObject, verify } from 'node:crypto';
import { parseJsonObject } from '../values/json.ts';

export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The parts of a compact JWT whose signature is right; null for anything else. Says nothing about its claims. */
export function readJwt(compact: string, algorithm: 'ES256' | 'RS256', publicKey: KeyObject): Jwt | null {
  const [header, claims, signature, ...more] = compact.split('.');
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return null;
  const parts = { header: jsonIn(header), claims: jsonIn(claims) };
  if (parts.header === null || parts.claims === null || parts.header.alg !== algorithm) return null;
  // JWTs carry the two numbers of an ECDSA signature side by side (RFC 7518 3.4), not as DER.
  const key = algorithm === 'ES256' ? { key: publicKey, dsaEncoding: 'ieee-p1363' as const } : publicKey;
  const good = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
  return good ? { header: parts.header, claims: parts.claims } : null;
}

function jsonIn(part: string): Record<string, unknown> | null {
  return parseJsonObject(Buffer.from(part, 'base64url').toString());
}
