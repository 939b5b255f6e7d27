import { hash } from 'node:crypto';
import type { Actor } from '../../src/store/calls.ts';
import type { SignedIn } from '../../src/store/people-calls.ts';
import type { TemporaryStore } from './store.ts';
import { EMAIL, granted, NOW_MS } from './world.ts';

export const BOB = 'bob@example.com';
export const OPERATOR: Actor = { kind: 'operator', name: 'root', address: null };

/** SHA-256 of a text, hex: stands for the hash of a token or a code. */
export function hashOf(text: string): string {
  return hash('sha256', text);
}

/** Adds somebody to a workspace, and answers their internal id. */
export function join(
  { calls, db }: TemporaryStore,
  email: string,
  { workspace = 'acme', role = 'member' }: { workspace?: string; role?: 'owner' | 'admin' | 'member' } = {},
): number {
  granted(calls.addMember({ workspace, email, role, wallMs: NOW_MS }));
  return idOf({ db }, email);
}

export function idOf({ db }: Pick<TemporaryStore, 'db'>, email = EMAIL): number {
  const id = db.prepare<[string], number>('SELECT id FROM user WHERE email = ?').pluck().get(email);
  if (id === undefined) throw new Error(`nobody is called ${email}`);
  return id;
}

/** Signs somebody in by a pairing code. `token` stands for the session's token. */
export function signIn({ calls }: TemporaryStore, token: string, email = EMAIL, wallMs = NOW_MS): SignedIn {
  const codeHash = hashOf(`code for ${token}`);
  granted(calls.createPairingCode({ email, codeHash, lifeMs: 1, wallMs }));
  const signedIn = calls.redeemPairingCode({ codeHash, tokenHash: hashOf(token), wallMs });
  if (signedIn === null) throw new Error('a fresh code is good');
  return signedIn;
}

/** Whether the session whose token this is lives. */
export function isSignedIn({ calls }: TemporaryStore, token: string, wallMs = NOW_MS): boolean {
  return calls.findSession({ tokenHash: hashOf(token), wallMs }) !== null;
}
