import type { BehaviourReasons } from '../behaviours.ts';
import { decodeHeader, HEADER_BYTES, type IssuedToken } from '../token-header.ts';

const HEX_TOKEN = /^[0-9a-f]{64}$/i;

export const APNS_BEHAVIOURS: BehaviourReasons = {
  unregistered: 'Unregistered',
  expired: 'ExpiredToken',
  bad_token: 'BadDeviceToken',
  foreign: 'DeviceTokenNotForTopic',
  too_many: 'TooManyRequests',
  internal_error: 'InternalServerError',
  unavailable: 'ServiceUnavailable',
  shutdown: 'Shutdown',
};

/** 64 hex characters: the header, then 26 bytes that make it unique. */
export function makeApnsToken(header: Buffer, unique: Buffer): string {
  return Buffer.concat([header, unique.subarray(0, 26)]).toString('hex');
}

/** null: well formed or not, no sandbox issued it. */
export function readApnsToken(token: string): IssuedToken | null {
  if (!HEX_TOKEN.test(token)) return null;
  return decodeHeader(Buffer.from(token.slice(0, HEADER_BYTES * 2), 'hex'));
}
