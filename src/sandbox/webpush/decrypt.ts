import { createDecipheriv, type ECDH, hkdfSync } from 'node:crypto';

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
const HEADER_BYTES = SALT_BYTES + 4 + 1 + KEY_BYTES;
const LAST_RECORD = 2;

/**
 * Decrypts a push like a browser (RFC 8291 with `aes128gcm`, RFC 8188). Shares no code with the sender: mistakes cannot
 * hide. null: not for this receiver, or invalid.
 */
export function decryptPush(body: Buffer, { ecdh, auth }: Receiver): Buffer | null {
  if (body.length <= HEADER_BYTES + TAG_BYTES || body[SALT_BYTES + 4] !== KEY_BYTES) return null;
  // RFC 8291 4: one record, so the last, and not above the declared length.
  if (body.length - HEADER_BYTES > body.readUInt32BE(SALT_BYTES)) return null;
  const salt = body.subarray(0, SALT_BYTES);
  const sender = body.subarray(HEADER_BYTES - KEY_BYTES, HEADER_BYTES);
  try {
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
    const secret = derive(ecdh.computeSecret(sender), auth, info, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce);
    cipher.setAuthTag(body.subarray(-TAG_BYTES));
    return unpadded(Buffer.concat([cipher.update(body.subarray(HEADER_BYTES, -TAG_BYTES)), cipher.final()]));
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
