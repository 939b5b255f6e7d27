import { request, type Schema } from './client.ts';
import { type Answer, answerOf } from './problem.ts';

/** A passkey's answer for the API; null: declined, or no passkey here. */
export type PasskeyProof = Schema<'PasskeyRequest'>['passkey'] | null;

/** Algorithms by number (https://www.iana.org/assignments/cose): EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

/** Whether this browser has passkeys and serializes them. */
export const hasPasskeys = typeof PublicKeyCredential === 'function' && 'toJSON' in PublicKeyCredential.prototype;

/** Asks for any passkey of this host. */
export async function getPasskey(): Promise<Answer<PasskeyProof>> {
  const challenge = await askChallenge();
  if (!challenge.ok) return challenge;
  const publicKey = { challenge: bytesOf(challenge.data.challenge), userVerification: 'required' as const };
  return given(navigator.credentials.get({ publicKey }));
}

/** Makes a passkey, unless this browser has one. */
export async function makePasskey(
  { user_handle, passkeys }: Schema<'PasskeyList'>,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<Answer<PasskeyProof>> {
  const challenge = await askChallenge();
  if (!challenge.ok) return challenge;
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytesOf(challenge.data.challenge),
    rp: { name: 'pushctl' },
    user: { id: bytesOf(user_handle), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: passkeys.map(({ credential }) => ({ type: 'public-key', id: bytesOf(credential) })),
  };
  return given(navigator.credentials.create({ publicKey }));
}

function askChallenge() {
  return answerOf<Schema<'Challenge'>>(request('post', '/v1/passkeys/challenge', {}));
}

/** Browsers throw when the user closes the dialog, deliberately without reason. */
async function given(asked: Promise<Credential | null>): Promise<Answer<PasskeyProof>> {
  try {
    const credential = (await asked) as PublicKeyCredential | null;
    return { ok: true, data: (credential?.toJSON() as unknown as NonNullable<PasskeyProof>) ?? null };
  } catch {
    return { ok: true, data: null };
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
