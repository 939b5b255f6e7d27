import { createPublicKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { lruCache } from '../../values/lru-cache.ts';
import { readJwt } from '../jwt.ts';

/** Faults of `Authorization` headers (RFC 8292), in checking order. */
export type VapidFault =
  | 'missing'
  | 'malformed'
  | 'key_length'
  | 'key_off_curve'
  | 'signature'
  | 'no_audience'
  | 'other_audience'
  | 'no_expiry'
  | 'expired'
  | 'long_expiry'
  | 'no_contact'
  | 'local_contact';

/** `key`: the `k` parameter in base64url, null if absent. `fault` null: valid. */
export interface Vapid {
  readonly key: string | null;
  /** The signed origin, if it is the service's. */
  readonly origin: string | null;
  readonly fault: VapidFault | null;
}

const HEADER = /^vapid +(?=.*\bt=([\w.-]+))(?=.*\bk=([\w-]+))[tk]=[\w.-]+ *, *[tk]=[\w.-]+$/i;
const KEY_BYTES = 65;
const MAX_LIFE_S = 86_400;
const LOCAL_NAMES = ['local', 'localhost', 'internal', 'lan', 'home.arpa', 'test', 'example', 'invalid'];

type VapidReader = (authorization: string | undefined, nowMs: number) => Vapid;

/** The header's part that does not depend on time. */
interface Signed {
  readonly key: string | null;
  /** null: `fault` concerns the header or its signature. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  readonly fault: VapidFault | null;
}

/** Senders use one for hours. */
const REMEMBERED = 256;

/** `origins`: of the service's endpoints. Checks signatures once, claims every time. */
export function openVapidReader(origins: readonly string[]): VapidReader {
  const known = lruCache<string, Signed>(REMEMBERED);
  return (authorization = '', nowMs) => {
    const { key, claims, fault } = known.get(authorization) ?? readSigned(authorization);
    known.set(authorization, { key, claims, fault });
    const origin = origins.find((known) => known === claims?.aud) ?? null;
    return { key, origin, fault: claims === null ? fault : claimFault(claims, origin, nowMs / 1000) };
  };
}

function readSigned(authorization: string): Signed {
  const faulty = (fault: VapidFault, key: string | null = null): Signed => ({ key, claims: null, fault });
  if (authorization === '') return faulty('missing');
  const [, token, key] = HEADER.exec(authorization) ?? [];
  if (token === undefined || key === undefined) return faulty('malformed');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== KEY_BYTES) return faulty('key_length', key);
  const publicKey = publicKeyOf(point);
  if (publicKey === null) return faulty('key_off_curve', key);
  const claims = readJwt(token, 'ES256', publicKey)?.claims;
  return claims === undefined ? faulty('signature', key) : { key, claims, fault: null };
}

function publicKeyOf(point: Buffer): KeyObject | null {
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  } catch {
    return null;
  }
}

function claimFault(
  { aud, exp, sub }: Readonly<Record<string, unknown>>,
  origin: string | null,
  nowS: number,
): VapidFault | null {
  if (aud === undefined || aud === null) return 'no_audience';
  if (origin === null) return 'other_audience';
  if (typeof exp !== 'number') return 'no_expiry';
  if (exp <= nowS) return 'expired';
  if (exp > nowS + MAX_LIFE_S) return 'long_expiry';
  if (typeof sub !== 'string' || !/^(mailto:|https:\/\/)/.test(sub)) return 'no_contact';
  return isPublicHost(hostOf(sub)) ? null : 'local_contact';
}

function hostOf(contact: string): string {
  return contact.startsWith('mailto:') ? contact.slice(contact.lastIndexOf('@') + 1) : new URL(contact).hostname;
}

function isPublicHost(host: string): boolean {
  if (!host.includes('.') || isIP(host) !== 0) return false;
  return !LOCAL_NAMES.some((name) => host.endsWith(`.${name}`));
}
