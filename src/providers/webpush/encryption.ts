import webPush from 'web-push';
import type { WebPushHeaders } from './payload.ts';

/** A body of 4,096 bytes, the most that every push service takes, less 103 of encryption (RFC 8291, section 4). */
export const MAX_PLAINTEXT_BYTES = 3993;

/** A request for the push service. Only the browser can decrypt the body. */
export interface EncryptedRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/**
 * One message for one browser, with a new key pair. `keys`: as they are stored with the address. Throws for keys that
 * are none, and for what does not fit: the library would make two records of it, which browsers do not read.
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
    // All of it is shown to a person; Apple and Google let others wait until the device is used.
    urgency: 'high',
    contentEncoding: 'aes128gcm',
  });
  return { headers: headers as EncryptedRequest['headers'], body: body as Buffer };
}
