import type { FakeResponse } from '../answers.ts';
import type { RefusalWords } from '../faults.ts';
import type { Vapid, VapidFault } from './vapid.ts';

/** A push request, with its endpoint's state. */
export interface PushRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bodyBytes: number;
  readonly vapid: Vapid;
  /** `ended`: formerly subscribed; `unknown`: never, or no such address. */
  readonly subscription: 'alive' | 'ended' | 'unknown';
  /** Made with the request's signing key, or with none. */
  readonly isBoundToKey: boolean;
}

/** A browser's push service. Reasons are its own words. */
export interface PushService {
  /** Endpoints' origins; the sandbox's own subscriptions have the first. */
  readonly origins: readonly [string, ...string[]];
  /** Returns an endpoint's path and query; `tokenIn` reads it. */
  pathOf(token: string): string;
  /** null: not one of its endpoints. */
  tokenIn(path: string): string | null;
  /** Returns the first reason to reject, in the service's order; null: none. */
  reasonAgainst(request: PushRequest): string | null;
  /** Answers an accepted push. `messageId`: letters and digits; `ttlS`: the request's. */
  success(messageId: string, ttlS: number): FakeResponse;
  refusal(reason: string, status?: number): FakeResponse;
  readonly words: RefusalWords;
}

/** RFC 8030 7.2: the least that services must take; these take no more. */
export const BODY_MAX_BYTES = 4096;
/** RFC 8030 5.4. */
const TOPIC = /^[\w-]{1,32}$/;

/** Returns seconds; null: missing, or no whole number. */
export function ttlOf({ headers }: Pick<PushRequest, 'headers'>): number | null {
  return /^-?\d+$/.test(headers.ttl ?? '') ? Number(headers.ttl) : null;
}

export function hasGoodTopic({ headers }: PushRequest): boolean {
  return headers.topic === undefined || TOPIC.test(headers.topic);
}

export function hasGoodUrgency({ headers }: PushRequest): boolean {
  return ['very-low', 'low', 'normal', 'high', undefined].includes(headers.urgency);
}

export function hasGoodEncoding({ headers, bodyBytes }: PushRequest): boolean {
  return bodyBytes === 0 || headers['content-encoding'] === 'aes128gcm';
}

/** Returns the signature's fault, unless the service ignores it. */
export function faultOf<O extends VapidFault = never>(
  { vapid: { fault } }: PushRequest,
  overlooked: readonly O[] = [],
): Exclude<VapidFault, O> | null {
  const isOverlooked = (found: VapidFault): found is O => overlooked.some((other) => other === found);
  return fault === null || isOverlooked(fault) ? null : (fault as Exclude<VapidFault, O>);
}

/** Faults that only Apple checks. */
export const CONTACT_FAULTS = ['no_contact', 'local_contact'] as const;
export type CheckedFault = Exclude<VapidFault, (typeof CONTACT_FAULTS)[number]>;
