import { createHash } from 'node:crypto';

/** Returns a strong tag of the bytes. `variant`: their other form. */
export function etagOf(body: Buffer, variant = ''): string {
  return `"${createHash('sha256').update(body).digest('hex')}${variant}"`;
}

/** Compares weakly, since compressing intermediaries weaken tags (RFC 9110, 13.1.2). */
export function isEtagListed(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.some((tag) => tag === '*' || tag === etag);
}
