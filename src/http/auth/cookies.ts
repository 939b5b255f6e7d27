import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SESSION_COOKIE, SESSION_LIFE_MS } from '../../contract/secret-token.ts';
import type { RoundTrip } from '../../oidc/provider.ts';
import type { Clock } from '../../process/clock.ts';
import type { RequestState } from '../request-state.ts';
import type { OwnSeal } from './own-seal.ts';

const SESSION_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const LIFE_S = SESSION_LIFE_MS / 1000;

/** Returns all session cookies of a request. Browsers send at most one. */
export function sessionCookiesOf(request: IncomingMessage): readonly string[] {
  return cookiesOf(request, SESSION_COOKIE);
}

function cookiesOf({ headers }: IncomingMessage, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const beginning = `${name}=`;
  return pairs.flatMap((pair) => (pair.startsWith(beginning) ? [pair.slice(beginning.length)] : []));
}

/** Gives the browser the token for as long as an unused session lives. */
export function giveCookie(state: RequestState, token: string): void {
  putCookie(state, `${SESSION_COOKIE}=${token}; ${SESSION_ATTRIBUTES}; Max-Age=${LIFE_S}`);
}

export function clearCookie(state: RequestState): void {
  putCookie(state, `${SESSION_COOKIE}=; ${SESSION_ATTRIBUTES}; Max-Age=0`);
}

function putCookie({ headers }: RequestState, text: string): void {
  const earlier = headers.indexOf('Set-Cookie');
  if (earlier !== -1) headers.splice(earlier, 2);
  headers.push('Set-Cookie', text);
}

/** Holds a browser's round trip, then the other half of the code. */
const COOKIE = '__Host-pushctl-oidc';
const USE = 'round trip';
const TRIP_LIFE_MS = 10 * 60_000;
/** Short, because the app redeems a code at once. */
export const TRIP_CODE_LIFE_MS = 60_000;
/** Distinguishes it from codes that people type. */
const CODE_BEGINS = 'oidc-';
const RANDOM_BYTES = 24;

/**
 * The cookie that binds a sign-in by the provider to the browser that began it. It is Lax, since browsers send no
 * strict cookie on the way back from another site.
 */
export class RoundTripCookie {
  readonly #seal: OwnSeal;
  readonly #clock: Pick<Clock, 'wallMs'>;

  constructor(seal: OwnSeal, clock: Pick<Clock, 'wallMs'>) {
    this.#seal = seal;
    this.#clock = clock;
  }

  async give(state: RequestState, trip: RoundTrip): Promise<void> {
    const content = Buffer.from(JSON.stringify(trip)).toString('base64url');
    const mark = (await this.#seal.mark(USE, content)).toString('base64url');
    putCookie(state, `${COOKIE}=${content}.${mark}; ${ROUND_TRIP_ATTRIBUTES}; Max-Age=${TRIP_LIFE_MS / 1000}`);
  }

  /** Returns this browser's round trip; null: none, or expired. */
  async read(request: IncomingMessage): Promise<RoundTrip | null> {
    const [content = '', mark = ''] = cookieOf(request)?.split('.') ?? [];
    if (!(await this.#seal.isOurs(USE, content, Buffer.from(mark, 'base64url')))) return null;
    const trip = JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as RoundTrip;
    const ageMs = this.#clock.wallMs() - trip.beganAtMs;
    return ageMs >= 0 && ageMs < TRIP_LIFE_MS ? trip : null;
  }
}

/** The round trip is over. */
export function takeTripCookie(state: RequestState): void {
  putCookie(state, `${COOKIE}=; ${ROUND_TRIP_ATTRIBUTES}; Max-Age=0`);
}

/**
 * Creates a code whose other half is a cookie. A link with the code signs nobody else in, so the app may redeem the
 * code without asking. `hash`: hex, of both halves, by which the store knows the code.
 */
export function createBoundCode(): { readonly text: string; readonly hash: string; bind(state: RequestState): void } {
  const text = CODE_BEGINS + randomBytes(RANDOM_BYTES).toString('base64url');
  const half = randomBytes(RANDOM_BYTES).toString('base64url');
  return {
    text,
    hash: hashOf(text, half),
    bind: (state) =>
      putCookie(state, `${COOKIE}=${half}; ${ROUND_TRIP_ATTRIBUTES}; Max-Age=${TRIP_CODE_LIFE_MS / 1000}`),
  };
}

/** Returns a bound code's hash; undefined: no such code; null: no cookie. */
export function boundCodeHash(text: string, request: IncomingMessage): string | null | undefined {
  if (!text.startsWith(CODE_BEGINS)) return undefined;
  const half = cookieOf(request);
  return half === null ? null : hashOf(text, half);
}

const ROUND_TRIP_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

function hashOf(text: string, half: string): string {
  return hash('sha256', `bound ${text} ${half}`);
}

/** No browser sends more than one. */
function cookieOf(request: IncomingMessage): string | null {
  const [value, ...others] = cookiesOf(request, COOKIE);
  return value === undefined || others.length > 0 ? null : value;
}
