import { hash } from 'node:crypto';

/**
 * A device token reads `pdev_<secret>`: 256 random bits in base64url, 43 characters. With it, a device reports what it
 * has shown. It gives no other right. Only its SHA-256 is stored.
 */
export interface DeviceToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

const SECRET_BYTES = 32;
/** The last character carries four bits, so its two spare bits are zero. */
const SHAPE = /^pdev_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** `random` returns that many random bytes: `crypto.randomBytes`, except in tests. */
export function createDeviceToken(random: (bytes: number) => Uint8Array): DeviceToken {
  const text = `pdev_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
  return { text, tokenHash: hash('sha256', text) };
}

/** Returns the hash (hex) by which a token is compared; null: the text is no device token. */
export function parseDeviceToken(text: string): string | null {
  return SHAPE.test(text) ? hash('sha256', text) : null;
}
