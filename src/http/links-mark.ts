import { createHmac } from 'node:crypto';
import type { Links } from '../push.ts';

/**
 * What tells whether a repeated request brings the links of the first one. They reach no disk, and neither does what they could
 * be guessed from: anybody could try likely links against a plain hash, but this one is keyed with the API key, of which a
 * disk has only a hash. So it starts with the id of that key: under any other one nothing can be said.
 */
export function linksMark(keyId: string, apiKey: string, { url, imageUrl }: Links): string {
  const mac = createHmac('sha256', apiKey).update(JSON.stringify([url, imageUrl]));
  return `${keyId} ${mac.digest('hex').slice(0, 32)}`;
}
