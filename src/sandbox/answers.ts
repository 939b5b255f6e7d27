import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { EndpointName } from './names.ts';
import type { IssuedToken } from './token-header.ts';

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
