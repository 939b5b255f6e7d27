import webPush from 'web-push';
import type { WebPushHeaders } from './payload.ts';

/** 4,096 bytes, taken by every service, less 103 of encryption (RFC 8291, section 4). */
export const MAX_PLAINTEXT_BYTES = 3993;

/** A push service's request, decrypted only by the browser. */
export interface EncryptedRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/**
 * Encrypts for a browser with a new key pair. `keys`: as stored. Throws for invalid keys and too long messages: the
 * library would split them into records unreadable for browsers.
 */
export function encryptFor(
  endpoint: string,
  keys: string | null,
  plaintext: Buffer,
  shown: WebPushHeaders,
): EncryptedRequest {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) throw new RangeError(`${plaintext.length} bytes do not fit in a push`);
  const subscription = { endpoint, keys: JSON.parse(keys ?? '{}') as { p256dh: string; auth: string } };
  const { headers, body } = webPush.generateRequestDetails(subscription, plaintext, {
    TTL: shown.ttlS,
    topic: shown.topic,
    // All is for people; Apple and Google hold lower urgencies until the device is used.
    urgency: 'high',
    contentEncoding: 'aes128gcm',
  });
  return { headers: headers as EncryptedRequest['headers'], body: body as Buffer };
}
