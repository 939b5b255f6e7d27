import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { VapidKeys } from '../../push.ts';

export type Signer =
  | { readonly kind: 'apns'; readonly key: string; readonly keyId: string; readonly teamId: string }
  | { readonly kind: 'vapid'; readonly origin: string; readonly contact: string; readonly keys: VapidKeys };

interface Lifetime {
  /** Older tokens are renewed before use. */
  readonly renewMs: number;
  /** Younger ones are kept, unless the clock is wrong. */
  readonly leastMs: number;
  /** The provider's longest age. */
  readonly mostMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Push services take a token for a day; half of it allows for differing clocks. */
const VAPID_S = 12 * 3600;

/**
 * APNs takes a token for an hour, and no more than one in 20 minutes per connection. Push service tokens contain their
 * end; Apple's service wants at most one an hour.
 */
export const LIFETIMES: Readonly<Record<Signer['kind'], Lifetime>> = {
  apns: { renewMs: 50 * MINUTE_MS, leastMs: 20 * MINUTE_MS, mostMs: HOUR_MS },
  vapid: { renewMs: 11 * HOUR_MS, leastMs: HOUR_MS, mostMs: 12 * HOUR_MS },
};

/** Returns a name for equal keys and purposes, revealing nothing of the key. */
export function nameOf(signer: Signer): string {
  const parts =
    signer.kind === 'apns'
      ? [signer.keyId, signer.teamId, signer.key]
      : [signer.origin, signer.contact, signer.keys.privateKey];
  return `${signer.kind} ${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/** Signs APNs' JWT, or a push service's `authorization`. */
export function signFor(signer: Signer, wallMs: number): string {
  const nowS = Math.floor(wallMs / 1000);
  if (signer.kind === 'apns') {
    const { key, keyId, teamId } = signer;
    return jwt({ alg: 'ES256', kid: keyId }, { iss: teamId, iat: nowS }, createPrivateKey(key));
  }
  const { origin, contact, keys } = signer;
  const claims = { aud: origin, exp: nowS + VAPID_S, sub: contact };
  return `vapid t=${jwt({ alg: 'ES256' }, claims, vapidKey(keys))}, k=${keys.publicKey}`;
}

/** https://www.rfc-editor.org/rfc/rfc7515. RSA keys for RS256, P-256 for ES256. */
export function jwt(header: { alg: 'RS256' | 'ES256'; kid?: string }, claims: object, key: KeyObject): string {
  const signed = [{ typ: 'JWT', ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** The public key is a point: byte 4, then x and y, 32 bytes each. */
function vapidKey({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' });
}
