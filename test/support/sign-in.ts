import * as assert from 'uvu/assert';
import { createPairingCode, PAIRING_CODE_LIFE_MS } from '../../src/contract/pairing-code.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { type Api, fetchReply, type Reply } from './http.ts';
import { granted } from './refusals.ts';
import type { Calls, Place } from './workspace.ts';

/** The sign-in of people: an app over a store, or a whole server. */
export interface Door {
  readonly http: { readonly url: string };
  readonly store: Calls;
}

/** A fresh pairing code for a member, made by an operator: it vouches for everything. */
export async function codeFor({ store }: Pick<Door, 'store'>, email: string): Promise<string> {
  const { text, hash } = createPairingCode();
  granted(await store.createPairingCode({ email, codeHash: hash, lifeMs: PAIRING_CODE_LIFE_MS }));
  return text;
}

/** Signs in someone who is a member already, with nothing but a pairing code. Returns the session's token. */
export async function signIn({ http, store }: Door, email: string): Promise<string> {
  const body = { pairing_code: await codeFor({ store }, email) };
  const signedIn = await fetchReply(http.url, '/api/v1/session', { method: 'POST', body });
  return (signedIn.body.session as { token: string }).token;
}

/** The same from a page of the web app, whose browser keeps the token as a cookie. Answers the token. */
export async function signInBrowser({ http, store }: Door, email: string): Promise<string> {
  const body = { pairing_code: await codeFor({ store }, email), cookie: true };
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const signedIn = await fetchReply(http.url, '/api/v1/session', { method: 'POST', headers, body });
  return cookieIn(signedIn)?.value ?? '';
}

/** All browsers have to confirm who is there, as they do ten minutes after they signed in. */
export function letProofsExpire(dataDir: string): void {
  const db = openDatabase(databasePath(dataDir));
  db.exec('UPDATE session SET confirmed_at = 0 WHERE confirmed_at IS NOT NULL');
  db.close();
}

/** The session cookie that a response sets. */
export function cookieIn({ headers }: Reply): { readonly value: string; readonly attributes: string } | null {
  const [cookie = '', ...others] = headers['set-cookie'] ?? [];
  assert.equal(others, []);
  const [, value = '', attributes = ''] = /^__Host-pushctl=([^;]*); (.*)$/.exec(cookie) ?? [];
  return cookie === '' ? null : { value, attributes };
}

/** Adds a member to a workspace, signs them in, and returns the token. */
export async function aPerson(api: Api, email: string, place: Place = {}): Promise<string> {
  await api.join(email, place);
  return signIn(api, email);
}
