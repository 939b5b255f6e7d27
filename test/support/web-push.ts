import { createPrivateKey, sign as createSignature } from 'node:crypto';
import { once } from 'node:events';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import webPush from 'web-push';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import type { VapidKeys } from '../../src/push.ts';
import { tokenIn } from '../../src/sandbox/webpush/fake.ts';
import type { Sandbox } from './sandbox/start.ts';
import type { TokenRequest } from './sandbox/tokens.ts';
import { signJwt } from './vendor-clients.ts';

/** A plain sender of Web Push, whose every part can be changed, and what it sends to. */

export interface WebPushPost {
  /** Default: keys that every call of this process has. */
  readonly vapid?: VapidKeys;
  readonly contact?: string;
  /** Changes of the JWT's claims; undefined: without it. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** undefined: without it. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly payload?: object;
  /** Instead of what the payload is encrypted to. */
  readonly body?: Buffer;
  readonly method?: string;
}

export interface WebPushAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export const OUR_KEYS: VapidKeys = webPush.generateVAPIDKeys();

/** A subscription of the sandbox's own. */
export function issuedSubscription(sandbox: Sandbox, request: Omit<TokenRequest, 'platform'>): BrowserSubscription {
  const endpoint = sandbox.token({ platform: 'web', ...request });
  return { endpoint, keys: sandbox.webpush.keysOf(endpoint) };
}

/** Posts what the services of browsers want, but for what `post` says otherwise. Rejects if the connection breaks. */
export async function postWebPush(
  sandbox: Pick<Sandbox, 'caPem' | 'webpush'>,
  subscription: BrowserSubscription,
  post: WebPushPost = {},
): Promise<WebPushAnswer> {
  const { origin, pathname, search } = new URL(subscription.endpoint);
  const headers = {
    ttl: '3600',
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    'x-wns-cache-policy': 'cache',
    authorization: vapidHeader(origin, post),
    ...post.headers,
  };
  const found = tokenIn(subscription.endpoint);
  if (found === null) throw new Error(`no push service has ${subscription.endpoint}`);
  const request = https.request(sandbox.webpush.urls[found.route] + pathname + search, {
    method: post.method ?? 'POST',
    headers: JSON.parse(JSON.stringify(headers)),
    ca: sandbox.caPem,
    agent: false,
  });
  request.end(post.body ?? encrypt(post.payload ?? { title: 'Hello' }, subscription));
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, text: (await buffer(response)).toString() };
}

export function encrypt(payload: object, { keys }: BrowserSubscription): Buffer {
  return webPush.encrypt(keys.p256dh, keys.auth, JSON.stringify(payload), 'aes128gcm').cipherText;
}

export function vapidHeader(origin: string, { vapid = OUR_KEYS, contact, claims = {} }: WebPushPost = {}): string {
  const nowS = Math.floor(Date.now() / 1000);
  const all = { aud: origin, exp: nowS + 43_200, sub: contact ?? 'mailto:operations@example.com', ...claims };
  const point = Buffer.from(vapid.publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: vapid.privateKey, x, y } });
  const sign = (data: Buffer) => createSignature('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signJwt({ typ: 'JWT', alg: 'ES256' }, all, sign)}, k=${vapid.publicKey}`;
}

/** Google's answer to an address that it never gave. */
export const NO_ENDPOINT =
  '404 A valid push subscription endpoint should be specified in the URL as such: https://fcm.googleapis.com/wp/dHIoDxE7Hdg:APA91bH1Zj0kNa';

/** Status, errno where there is one, and the reason, wherever the service keeps it. */
export function answerText({ status, headers, text }: Awaited<ReturnType<typeof postWebPush>>): string {
  const wns = headers['x-wns-error-description'];
  if (typeof wns === 'string') return `${status} ${wns}`;
  if (!text.startsWith('{')) return `${status} ${text.trim()}`;
  const { errno, message, reason } = JSON.parse(text) as { errno?: number; message?: string; reason?: string };
  return `${status} ${errno === undefined ? reason : `${errno} ${message}`}`;
}
