/** The least that a sender of Web Push can do: RFC 8291 by Node's own cryptography, and its own HTTPS. */
import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import https from 'node:https';
import type { BrowserSubscription } from '../../../src/contract/addresses/address.ts';
import { vapidHeader } from '../../support/web-push.ts';

/** Where all browsers of the benchmark have their endpoints. */
export const MOZILLA = 'https://updates.push.services.mozilla.com';

export interface WebPushAccess {
  readonly caPem: string;
  /** What stands in its place. */
  readonly mozillaUrl: string;
}

export type SendToBrowser = (subscription: BrowserSubscription) => Promise<void>;

/** One plaintext for all; each push has keys of its own. The JWT is signed once. */
export function openWebPush({ caPem, mozillaUrl }: WebPushAccess, plaintext: Buffer): SendToBrowser {
  const agent = new https.Agent({ keepAlive: true, ca: caPem, scheduling: 'lifo' });
  const headers = {
    Authorization: vapidHeader(MOZILLA),
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: '86400',
    Urgency: 'high',
    Topic: '019e4f701c8f7f939056948398eef76c',
  };
  return ({ endpoint, keys }) => {
    const body = encrypted(plaintext, keys);
    return new Promise((resolve, reject) => {
      const request = https.request(mozillaUrl + new URL(endpoint).pathname, {
        method: 'POST',
        agent,
        headers: { ...headers, 'Content-Length': body.length },
      });
      request.on('response', (response) => {
        if (response.statusCode !== 201) reject(new Error(`the push service answered ${response.statusCode}`));
        response.on('end', resolve).resume();
      });
      request.on('error', reject).end(body);
    });
  };
}

const RECORD_BYTES = 4096;
const KEY_BYTES = 65;
/** Behind the text of the last record: RFC 8188, section 2. */
const LAST_RECORD = Buffer.of(2);

/** HKDF is written out as two HMACs, which Node does in two thirds of the time of `hkdfSync`. */
function encrypted(plaintext: Buffer, { p256dh, auth }: BrowserSubscription['keys']): Buffer {
  const receiver = Buffer.from(p256dh, 'base64url');
  const ecdh = createECDH('prime256v1');
  const sender = ecdh.generateKeys();
  const salt = randomBytes(16);

  const shared = hmac(Buffer.from(auth, 'base64url'), ecdh.computeSecret(receiver));
  const secret = hmac(shared, Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender, Buffer.of(1)]));
  const derived = hmac(salt, secret);
  const key = hmac(derived, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16);
  const nonce = hmac(derived, 'Content-Encoding: nonce\0\x01').subarray(0, 12);

  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(KEY_BYTES, 4);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = [cipher.update(plaintext), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, head, sender, ...sealed]);
}

function hmac(key: Buffer, data: Buffer | string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
