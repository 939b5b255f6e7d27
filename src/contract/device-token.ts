import { hash } from 'node:crypto';

/**
 * A device token reads `pdev_<secret>`: 256 random bits, 43 characters of base64url. Its only right is to report shown
 * pushes. The SHA-256 alone is stored.
 */
export interface DeviceToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

const SECRET_BYTES = 32;
/** The last character carries four bits; the two spare ones are zero. */
const SHAPE = /^pdev_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** `random` returns that many bytes: `crypto.randomBytes`, except in tests. */
export function createDeviceToken(random: (bytes: number) => Uint8Array): DeviceToken {
  const text = `pdev_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
  return { text, tokenHash: hash('sha256', text) };
}

/** Returns a token's hash (hex); null: no device token. */
export function parseDeviceToken(text: string): string | null {
  return SHAPE.test(text) ? hash('sha256', text) : null;
}
