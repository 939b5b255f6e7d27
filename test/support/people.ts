import { hash } from 'node:crypto';
import type { SignedIn } from '../../src/store/calls/sessions.ts';
import type { Actor, UserActor } from '../../src/store/calls.ts';
import { ADA } from './cast.ts';
import { granted } from './refusals.ts';
import type { TemporaryStore } from './store.ts';
import { userIdOf } from './workspace.ts';
import { NOW_MS } from './world.ts';

export const OPERATOR: Actor = { kind: 'operator', name: 'root', address: null };

/** SHA-256 of a text, hex: stands for the hash of a token or a code. */
export function hashOf(text: string): string {
  return hash('sha256', text);
}

/** Their internal id. */
export function idOf({ calls }: Pick<TemporaryStore, 'calls'>, email = ADA): Promise<number> {
  return userIdOf(calls, email);
}

/** Signs a member in by a pairing code. `token` stands for the session's token. */
export async function signIn(
  { calls }: TemporaryStore,
  token: string,
  email = ADA,
  wallMs = NOW_MS,
): Promise<SignedIn> {
  const codeHash = hashOf(`code for ${token}`);
  granted(await calls.createPairingCode({ email, codeHash, lifeMs: 1, wallMs }));
  const signedIn = await calls.redeemPairingCode({ codeHash, tokenHash: hashOf(token), wallMs });
  if (signedIn === null) throw new Error('a fresh code is good');
  return signedIn;
}

/** A member in a session of theirs, whose token this stands for. */
export function actorIn(token: string, email = ADA, manages: number | null = null): UserActor {
  return { kind: 'user', name: email, address: '192.0.2.7', session: hashOf(token), manages };
}

/** Whether the session whose token this is lives. */
export async function isSignedIn({ calls }: TemporaryStore, token: string, wallMs = NOW_MS): Promise<boolean> {
  return (await calls.findSession({ tokenHash: hashOf(token), wallMs })) !== null;
}
