import { createHash, randomBytes } from 'node:crypto';
import { storedAddress } from '../contract/addresses.ts';
import type { Environment, Platform, Route, TokenKind } from '../push.ts';
import { type BehaviourName, behaviourAt, numberOf } from './behaviours.ts';

/**
 * What a sandbox token looks like. A token carries its meaning in its first six bytes, so that a token issued by one process
 * is understood by every other one:
 *
 * | byte | meaning                                                                          |
 * |------|----------------------------------------------------------------------------------|
 * | 0, 1 | `7b 5b`: issued by a sandbox. Anything else that is well formed is an unknown token |
 * | 2    | where it is at home: 1 APNs production, 2 APNs sandbox, 3 FCM                    |
 * | 3    | its behaviour: the place in the list of behaviours.ts                            |
 * | 4, 5 | the behaviour's parameter, big-endian (milliseconds or seconds, see there)       |
 *
 * - APNs: 64 hex characters: the six bytes, then 26 that make it unique.
 * - Firebase installation ID: 22 base64url characters: the six bytes are the first 8, the other 14 make it unique.
 *   (A real one starts with the bits 0111, and so do these.)
 * - FCM registration token: an installation ID, `:APA91b`, and 134 base64url characters, as real ones are.
 *
 * The same `label` always gives the same token; without one every token is new.
 */
export interface TokenRequest {
  readonly platform: Platform;
  /** iOS only; default `production`. */
  readonly environment?: Environment;
  /** Android only; default `token`. */
  readonly tokenKind?: TokenKind;
  /** Default `accept`. */
  readonly behaviour?: BehaviourName;
  /** 0 to 65,535; what it means is up to the behaviour. */
  readonly parameter?: number;
  readonly label?: string;
}

/** What a token says about itself. */
export interface IssuedToken {
  readonly home: Route;
  readonly behaviour: BehaviourName;
  readonly parameter: number;
}

const MAGIC = Buffer.from('7b5b', 'hex');
/** In the order of their numbers. */
const HOMES: readonly Route[] = ['apns_production', 'apns_sandbox', 'fcm'];
const HEADER_BYTES = 6;
const HEADER_BASE64 = 8;
const HEX_TOKEN = /^[0-9a-f]{64}$/i;
const INSTALLATION_ID = /^[\w-]{22}$/;
const REGISTRATION_TOKEN = /^[\w-]{22}:APA91b[\w-]{134}$/;

export function issueToken(request: TokenRequest): string {
  const unique = uniqueBytes(request.label, 128);
  const header = encodeHeader(request, storedAddress({ ...request, token: '' }).route);
  if (request.platform === 'ios') return Buffer.concat([header, unique.subarray(0, 26)]).toString('hex');
  const text = unique.toString('base64url');
  const installationId = header.toString('base64url') + text.slice(0, 14);
  if (request.tokenKind === 'installation_id') return installationId;
  return `${installationId}:APA91b${text.slice(14, 148)}`;
}

/** null: well formed or not, no sandbox issued it. */
export function readApnsToken(token: string): IssuedToken | null {
  if (!HEX_TOKEN.test(token)) return null;
  return decodeHeader(Buffer.from(token.slice(0, HEADER_BYTES * 2), 'hex'));
}

/** For registration tokens and installation IDs alike. null: well formed or not, no sandbox issued it. */
export function readFcmToken(token: string): IssuedToken | null {
  if (!REGISTRATION_TOKEN.test(token) && !INSTALLATION_ID.test(token)) return null;
  return decodeHeader(Buffer.from(token.slice(0, HEADER_BASE64), 'base64url'));
}

function encodeHeader(request: TokenRequest, home: Route): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(HOMES.indexOf(home) + 1, 2);
  header.writeUInt8(numberOf(request.behaviour ?? 'accept'), 3);
  header.writeUInt16BE(request.parameter ?? 0, 4);
  return header;
}

function decodeHeader(header: Buffer): IssuedToken | null {
  if (header.compare(MAGIC, 0, 2, 0, 2) !== 0) return null;
  const home = HOMES[header.readUInt8(2) - 1];
  const behaviour = behaviourAt(header.readUInt8(3));
  if (home === undefined || behaviour === null) return null;
  return { home, behaviour, parameter: header.readUInt16BE(4) };
}

function uniqueBytes(label: string | undefined, length: number): Buffer {
  if (label === undefined) return randomBytes(length);
  return createHash('shake256', { outputLength: length }).update(label).digest();
}
