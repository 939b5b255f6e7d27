import type { TokenKind } from '../../push.ts';
import { decodeHeader, type IssuedToken } from '../answers.ts';
import type { RefusalWords } from '../faults.ts';

const HEADER_BASE64 = 8;
const INSTALLATION_ID = /^[\w-]{22}$/;
const REGISTRATION_TOKEN = /^[\w-]{22}:APA91b[\w-]{134}$/;

export const FCM_WORDS: RefusalWords = {
  unregistered: 'UNREGISTERED',
  too_many: 'QUOTA_EXCEEDED',
  internal_error: 'INTERNAL',
};

/**
 * - Firebase installation ID: 22 base64url characters, 8 of header and 14 unique; begins with bits 0111 like real ones.
 * - FCM registration token: an installation ID, `:APA91b`, and 134 base64url characters, like real ones.
 */
export function makeFcmToken(header: Buffer, unique: Buffer, kind: TokenKind): string {
  const text = unique.toString('base64url');
  const installationId = header.toString('base64url') + text.slice(0, 14);
  return kind === 'installation_id' ? installationId : `${installationId}:APA91b${text.slice(14, 148)}`;
}

/** Decodes registration tokens and installation IDs. null: not the sandbox's. */
export function readFcmToken(token: string): IssuedToken | null {
  if (!REGISTRATION_TOKEN.test(token) && !INSTALLATION_ID.test(token)) return null;
  return decodeHeader(Buffer.from(token.slice(0, HEADER_BASE64), 'base64url'));
}
