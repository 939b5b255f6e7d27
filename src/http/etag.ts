import { createHash } from 'node:crypto';

/** A strong tag of these bytes. `variant`: what the same bytes are sent as. */
export function etagOf(body: Buffer, variant = ''): string {
  return `"${createHash('sha256').update(body).digest('hex')}${variant}"`;
}

/** If-None-Match holds a list and compares weakly, as compressing intermediaries weaken the tag. RFC 9110, 13.1.2. */
export function isEtagListed(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.some((tag) => tag === '*' || tag === etag);
}
