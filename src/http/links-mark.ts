import { createHmac } from 'node:crypto';
import type { Links } from '../push.ts';

/**
 * Shows whether a repeated request has the same links as the first. Links are never written to a disk, nor anything
 * that they could be guessed from: likely links could be tried against a plain hash, so this is a MAC keyed with the
 * API key, of which the disk has only a hash. It starts with that key's id, as it means nothing for another key.
 */
export function linksMark(keyId: string, apiKey: string, { url, imageUrl }: Links): string {
  const mac = createHmac('sha256', apiKey).update(JSON.stringify([url, imageUrl]));
  return `${keyId} ${mac.digest('hex').slice(0, 32)}`;
}
