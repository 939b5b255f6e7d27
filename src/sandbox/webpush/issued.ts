import { createECDH, createHash, hash } from 'node:crypto';
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import { decodeHeader, HEADER_BYTES, type IssuedToken } from '../token-header.ts';
import type { Receiver } from './decrypt.ts';

/**
 * Subscriptions of the sandbox itself. The endpoint's last part has everything, so any process can read the pushes. It
 * is 72 base64url characters of header, SHA-256 of the VAPID key (zeros: none), and 16 unique bytes. These are last,
 * since people see the end.
 */
export interface IssuedSubscription extends IssuedToken {
  readonly receiver: Receiver;
  /** base64url of 32 bytes; null: accepts any key's pushes. */
  readonly keyHash: string | null;
}

export type SubscriptionKeys = BrowserSubscription['keys'];

const SEED_BYTES = 16;
const HASH_BYTES = 32;
const TOKEN = /^[\w-]{72}$/;

/** `unique`: at least 16 bytes. `vapidKey`: base64url. */
export function makeIssuedToken(header: Buffer, unique: Buffer, vapidKey: string | null): string {
  const keyHash = vapidKey === null ? Buffer.alloc(HASH_BYTES) : Buffer.from(keyHashOf(vapidKey), 'base64url');
  return Buffer.concat([header, keyHash, unique.subarray(0, SEED_BYTES)]).toString('base64url');
}

/** null: no sandbox issued it. */
export function readIssuedToken(token: string): IssuedSubscription | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const issued = decodeHeader(bytes);
  if (issued === null) return null;
  const keyHash = bytes.subarray(HEADER_BYTES, HEADER_BYTES + HASH_BYTES);
  const isBound = keyHash.some((byte) => byte !== 0);
  return { ...issued, receiver: receiverOf(bytes), keyHash: isBound ? keyHash.toString('base64url') : null };
}

export function issuedKeys(token: string): SubscriptionKeys {
  const { ecdh, auth } = receiverOf(Buffer.from(token, 'base64url'));
  return { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
}

export function keyHashOf(vapidKey: string): string {
  return hash('sha256', Buffer.from(vapidKey, 'base64url'), 'base64url');
}

function receiverOf(token: Buffer): Receiver {
  const secret = createHash('shake256', { outputLength: 48 }).update(token).digest();
  const scalar = secret.subarray(0, 32);
  // Below the curve's order, as private keys must be.
  scalar[0] = (scalar[0] ?? 0) & 0x7f;
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  return { ecdh, auth: secret.subarray(32) };
}
