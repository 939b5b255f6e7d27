import { createHash } from 'node:crypto';
import { decodeHeader, HEADER_BYTES, type IssuedToken } from '../answers.ts';
import type { RefusalWords } from '../faults.ts';

const HEX_TOKEN = /^[0-9a-f]{64}$/i;

export const APNS_WORDS: RefusalWords = {
  unregistered: 'Unregistered',
  too_many: 'TooManyRequests',
  internal_error: 'InternalServerError',
};

const UNIQUE_BYTES = 26;
const MARK_BYTES = 8;

/** Makes 64 hex characters: header, then 26 unique bytes, the last marking a named app. */
export function makeApnsToken(header: Buffer, unique: Buffer, app?: string): string {
  const mark = app === undefined ? Buffer.alloc(0) : markOf(app);
  return Buffer.concat([header, unique.subarray(0, UNIQUE_BYTES - mark.length), mark]).toString('hex');
}

/** Returns the token's app: the first, unless another's mark is there. */
export function appOfToken(token: string, [first = '', ...others]: readonly string[]): string {
  return others.find((app) => token.endsWith(markOf(app).toString('hex'))) ?? first;
}

function markOf(app: string): Buffer {
  return createHash('sha256').update(app).digest().subarray(0, MARK_BYTES);
}

/** Returns null for tokens that no sandbox issued. */
export function readApnsToken(token: string): IssuedToken | null {
  if (!HEX_TOKEN.test(token)) return null;
  return decodeHeader(Buffer.from(token.slice(0, HEADER_BYTES * 2), 'hex'));
}
