import { createECDH, randomBytes } from 'node:crypto';

/** Keys of a push subscription, as a browser makes them. */
export function browserKeys(): { readonly p256dh: string; readonly auth: string } {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  return { p256dh, auth: randomBytes(16).toString('base64url') };
}
