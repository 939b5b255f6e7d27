import { createPairingCode } from '../../src/contract/pairing-code.ts';
import { hashPassword } from '../../src/contract/password.ts';
import type { Role } from '../../src/push.ts';
import type { Api } from './http.ts';
import { granted } from './refusals.ts';

export interface Place {
  readonly workspace?: string;
  readonly role?: Role;
  readonly password?: string;
}

/** Adds somebody to a workspace, as an operator would. */
export async function join({ store }: Api, email: string, place: Place = {}): Promise<void> {
  const { workspace = 'acme', role = 'member', password } = place;
  const stored = password === undefined ? {} : { password: await hashPassword(password) };
  granted(await store.addMember({ workspace, email, role, ...stored }));
}

/** A fresh pairing code of somebody's. */
export async function codeFor({ store }: Api, email: string): Promise<string> {
  const { text, hash } = createPairingCode();
  granted(await store.createPairingCode({ email, codeHash: hash, lifeMs: 60_000 }));
  return text;
}

/** Signs in somebody who is a member already, and answers the session's token. */
export async function signIn(api: Api, email: string): Promise<string> {
  const code = await codeFor(api, email);
  const { body } = await api.request('/api/v1/session', { method: 'POST', body: { pairing_code: code } });
  return (body.session as { token: string }).token;
}

/** Adds somebody to a workspace, signs them in, and answers the token. */
export async function aPerson(api: Api, email: string, place: Place = {}): Promise<string> {
  await join(api, email, place);
  return signIn(api, email);
}
