import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { ROUTES, type Route } from '../push.ts';
import type { EndpointName } from './names.ts';

/**
 * The sandbox's answer, on the wire as in the field.
 *
 * - `accept`: success, after `afterMs` if given.
 * - `refuse`: the vendor's error body and status for `reason` (APNs reason or FCM code).
 * - `reset`: RST_STREAM over HTTP/2, a TCP reset over HTTP/1.1.
 * - `silent`: read, never answered.
 * - `own`: written by the overrider.
 */
export type SandboxAnswer =
  | { readonly kind: 'accept'; readonly afterMs?: number }
  | { readonly kind: 'refuse'; readonly reason: string; readonly status?: number; readonly retryAfterS?: number }
  | { readonly kind: 'reset' | 'silent' }
  | OwnAnswer;

export interface OwnAnswer {
  readonly kind: 'own';
  /** The journal's word for a push not accepted. */
  readonly name: string;
  /** Whether the provider takes the push, whatever becomes of the answer. */
  readonly isAccepted: boolean;
  overHttp1(response: ServerResponse, success: FakeResponse): void;
  overHttp2(stream: ServerHttp2Stream, apnsId: string): void;
}

export interface FakeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request, valid except perhaps for its device. */
export interface Asked {
  readonly endpoint: EndpointName;
  /** Empty: none is asked for. */
  readonly token: string;
  /** Null: no sandbox made the token. */
  readonly issued: IssuedToken | null;
}

/** Answers for the sandbox; null: it answers itself. */
export type Override = (asked: Asked) => SandboxAnswer | null;

export function isAccepted(answer: SandboxAnswer): boolean {
  return answer.kind === 'own' ? answer.isAccepted : answer.kind === 'accept';
}

export function reasonOf(answer: SandboxAnswer): string {
  if (answer.kind === 'own') return answer.name;
  return answer.kind === 'refuse' ? answer.reason : answer.kind;
}

/**
 * A token's meaning is in its first six bytes, so every process understands others' tokens. Bytes 0 and 1: `7b 5b`;
 * other well-formed tokens are unknown. Byte 2: its route's place in the table of providers, from 1. Byte 3: its
 * behaviour; bytes 4 and 5: the behaviour's parameter, big-endian. The sandbox ignores these three.
 */
export interface IssuedToken {
  readonly home: Route;
  readonly behaviour: number;
  readonly parameter: number;
}

const MAGIC = Buffer.from('7b5b', 'hex');
export const HEADER_BYTES = 6;

export function encodeHeader({ home, behaviour, parameter }: IssuedToken): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(ROUTES.indexOf(home) + 1, 2);
  header.writeUInt8(behaviour, 3);
  header.writeUInt16BE(parameter, 4);
  return header;
}

/** null: no sandbox made it. */
export function decodeHeader(header: Buffer): IssuedToken | null {
  if (header.compare(MAGIC, 0, 2, 0, 2) !== 0) return null;
  const home = ROUTES[header.readUInt8(2) - 1];
  if (home === undefined) return null;
  return { home, behaviour: header.readUInt8(3), parameter: header.readUInt16BE(4) };
}
