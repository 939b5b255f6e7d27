import { type KeyObject, verify } from 'node:crypto';
import { parseJsonObject } from '../values/json.ts';

interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Returns a correctly signed compact JWT's parts, else null. Does not check its claims. */
export function readJwt(compact: string, algorithm: 'ES256' | 'RS256', publicKey: KeyObject): Jwt | null {
  const [header, claims, signature, ...more] = compact.split('.');
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return null;
  const parts = { header: jsonIn(header), claims: jsonIn(claims) };
  if (parts.header === null || parts.claims === null || parts.header.alg !== algorithm) return null;
  // JWTs carry both ECDSA numbers side by side (RFC 7518 3.4), not as DER.
  const key = algorithm === 'ES256' ? { key: publicKey, dsaEncoding: 'ieee-p1363' as const } : publicKey;
  const good = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
  return good ? { header: parts.header, claims: parts.claims } : null;
}

function jsonIn(part: string): Record<string, unknown> | null {
  return parseJsonObject(Buffer.from(part, 'base64url').toString());
}
