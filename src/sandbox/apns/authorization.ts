import { createPublicKey, type KeyObject } from 'node:crypto';
import { readJwt } from '../jwt.ts';
import type { ApnsReason } from './checks.ts';

/** A connection's last provider token, and since when. */
export interface ConnectionAuth {
  authorization: string | null;
  sinceMs: number;
}

/** Judges `authorization` headers: signatures once, ages every time. */
export type Authorizer = (
  authorization: string | undefined,
  connection: ConnectionAuth,
  nowMs: number,
) => ApnsReason | null;

const MAX_AGE_MS = 60 * 60_000;
/** Apple rejects earlier new tokens on a connection. */
const MIN_UPDATE_MS = 20 * 60_000;
/** Clocks differ a little. */
const CLOCK_SKEW_MS = 60_000;
const REMEMBERED_TOKENS = 256;

/** The key from Apple's console. `topic`: the app's bundle ID. */
export interface ApnsKeys {
  readonly apnsKey: ApnsKey;
  readonly topic: string;
}
interface ApnsKey {
  /** PKCS #8, as in Apple's .p8 files. */
  readonly pem: string;
  readonly keyId: string;
  readonly teamId: string;
}

/** Applies Apple's "Establishing a token-based connection to APNs". */
export function openAuthorizer(apnsKey: ApnsKey): Authorizer {
  const publicKey = createPublicKey(apnsKey.pem);
  const issuedAtMsOf = new Map<string, number | null>();

  return (authorization, connection, nowMs) => {
    if (authorization === undefined || authorization === '') return 'MissingProviderToken';
    let issuedAtMs = issuedAtMsOf.get(authorization);
    if (issuedAtMs === undefined) {
      issuedAtMs = readProviderToken(authorization, apnsKey, publicKey);
      if (issuedAtMsOf.size >= REMEMBERED_TOKENS) issuedAtMsOf.clear();
      issuedAtMsOf.set(authorization, issuedAtMs);
    }
    if (issuedAtMs === null || issuedAtMs > nowMs + CLOCK_SKEW_MS) return 'InvalidProviderToken';
    if (nowMs - issuedAtMs > MAX_AGE_MS) return 'ExpiredProviderToken';
    if (connection.authorization === authorization) return null;
    if (connection.authorization !== null && nowMs - connection.sinceMs < MIN_UPDATE_MS) {
      return 'TooManyProviderTokenUpdates';
    }
    connection.authorization = authorization;
    connection.sinceMs = nowMs;
    return null;
  };
}

/** Returns the token's issue time; null: not this team's, or wrongly signed. */
function readProviderToken(authorization: string, apnsKey: ApnsKey, publicKey: KeyObject): number | null {
  const compact = /^bearer (\S+)$/i.exec(authorization)?.[1];
  const jwt = compact === undefined ? null : readJwt(compact, 'ES256', publicKey);
  if (jwt === null || jwt.header.kid !== apnsKey.keyId || jwt.claims.iss !== apnsKey.teamId) return null;
  return typeof jwt.claims.iat === 'number' ? jwt.claims.iat * 1000 : null;
}
