import type { IncomingMessage } from 'node:http';
import { SESSION_COOKIE, SESSION_LIFE_MS } from '../../contract/session-token.ts';
import type { RequestState } from '../request-state.ts';

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const LIFE_S = SESSION_LIFE_MS / 1000;

/** Returns all session cookies of a request. Browsers send at most one. */
export function sessionCookiesOf(request: IncomingMessage): readonly string[] {
  return cookiesOf(request, SESSION_COOKIE);
}

export function cookiesOf({ headers }: IncomingMessage, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const beginning = `${name}=`;
  return pairs.flatMap((pair) => (pair.startsWith(beginning) ? [pair.slice(beginning.length)] : []));
}

/** Gives the browser the token for as long as an unused session lives. */
export function giveCookie(state: RequestState, token: string): void {
  putCookie(state, `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${LIFE_S}`);
}

export function clearCookie(state: RequestState): void {
  putCookie(state, `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
}

export function putCookie({ headers }: RequestState, text: string): void {
  const earlier = headers.indexOf('Set-Cookie');
  if (earlier !== -1) headers.splice(earlier, 2);
  headers.push('Set-Cookie', text);
}
