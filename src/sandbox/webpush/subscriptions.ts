import { createDecipheriv, createECDH, createHash, type ECDH, hash, hkdfSync } from 'node:crypto';
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import type { Route } from '../../push.ts';
import { parseJsonObject } from '../../values/json.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { decodeHeader, HEADER_BYTES, type IssuedToken } from '../answers.ts';

export interface TakenPush {
  readonly id: string;
  readonly body: Buffer;
  readonly ttlS: number;
  readonly topic: string | null;
}

/** A subscription of a browser or the sandbox itself. */
export interface Subscription {
  /** The sandbox subscription's decoded token; null: a real browser's. */
  readonly issued: IssuedToken | null;
  /** Returns whether pushes signed with this key may come. */
  isFor(vapidKey: string | null): boolean;
  deliver(push: TakenPush): void;
  /** null: unreadable here, since a browser has the keys, or made for others. */
  read(body: Buffer): Readonly<Record<string, unknown>> | null;
}

/** Deriving the sandbox's own keys is the slowest part. */
const REMEMBERED = 10_000;

/** A push service's subscriptions, by their endpoints' last part. */
export class Subscriptions {
  readonly #home: Route;
  readonly #ofBrowsers = new Map<string, Subscription>();
  readonly #ended = new Set<string>();
  readonly #ofSandbox = lruCache<string, Subscription>(REMEMBERED);

  constructor(home: Route) {
    this.#home = home;
  }

  find(token: string): Subscription | 'ended' | 'unknown' {
    if (this.#ended.has(token)) return 'ended';
    const known = this.#ofBrowsers.get(token) ?? this.#ofSandbox.get(token);
    if (known !== undefined) return known;
    const issued = openIssued(token, this.#home);
    if (issued !== null) this.#ofSandbox.set(token, issued);
    return issued ?? 'unknown';
  }

  /** `vapidKey` null: the browser got none. */
  add(token: string, vapidKey: string | null, deliver: Subscription['deliver']): void {
    const isFor = (given: string | null) => vapidKey === null || given === vapidKey;
    this.#ofBrowsers.set(token, { issued: null, isFor, deliver, read: () => null });
  }

  end(token: string): void {
    this.#ofBrowsers.delete(token);
    this.#ended.add(token);
  }
}

function openIssued(token: string, home: Route): Subscription | null {
  const issued = readIssuedToken(token);
  if (issued === null || issued.home !== home) return null;
  return {
    issued,
    isFor: (key) => issued.keyHash === null || (key !== null && keyHashOf(key) === issued.keyHash),
    deliver() {},
    read(body) {
      const text = decryptPush(body, issued.receiver);
      return text && parseJsonObject(text.toString());
    },
  };
}

/**
 * Subscriptions of the sandbox itself. The endpoint's last part has everything, so any process can read the pushes. It
 * is 72 base64url characters of header, SHA-256 of the VAPID key (zeros: none), and 16 unique bytes. These are last,
 * since people see the end.
 */
interface IssuedSubscription extends IssuedToken {
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

function keyHashOf(vapidKey: string): string {
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

/** A browser's keys of a subscription. `auth`: 16 bytes. */
export interface Receiver {
  readonly ecdh: ECDH;
  readonly auth: Buffer;
}

const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Size of an uncompressed P-256 point. */
const KEY_BYTES = 65;
/** Salt, record size (four bytes), key length (one), key. */
const RECORD_HEADER_BYTES = SALT_BYTES + 4 + 1 + KEY_BYTES;
const LAST_RECORD = 2;

/**
 * Decrypts a push like a browser (RFC 8291 with `aes128gcm`, RFC 8188). Shares no code with the sender: mistakes cannot
 * hide. null: not for this receiver, or invalid.
 */
export function decryptPush(body: Buffer, { ecdh, auth }: Receiver): Buffer | null {
  if (body.length <= RECORD_HEADER_BYTES + TAG_BYTES || body[SALT_BYTES + 4] !== KEY_BYTES) return null;
  // RFC 8291 4: one record, so the last, and not above the declared length.
  if (body.length - RECORD_HEADER_BYTES > body.readUInt32BE(SALT_BYTES)) return null;
  const salt = body.subarray(0, SALT_BYTES);
  const sender = body.subarray(RECORD_HEADER_BYTES - KEY_BYTES, RECORD_HEADER_BYTES);
  try {
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
    const secret = derive(ecdh.computeSecret(sender), auth, info, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce);
    cipher.setAuthTag(body.subarray(-TAG_BYTES));
    return unpadded(Buffer.concat([cipher.update(body.subarray(RECORD_HEADER_BYTES, -TAG_BYTES)), cipher.final()]));
  } catch {
    // A key off the curve, or a wrong tag.
    return null;
  }
}

function derive(secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}

/** Removes the padding: a 2, and any zeros. */
function unpadded(record: Buffer): Buffer | null {
  const end = record.findLastIndex((byte) => byte !== 0);
  return record[end] === LAST_RECORD ? record.subarray(0, end) : null;
}
