import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Clock } from '../../process/clock.ts';
import type { PasskeyAnswer } from '../../store/calls/sessions.ts';
import type { ServingStore } from '../../store/client.ts';
import { parseJsonObject } from '../../values/json.ts';
import type { OwnSeal } from './own-seal.ts';

/** A `PublicKeyCredential` as JSON, checked only by the library. */
export type PasskeyJson = Readonly<Record<string, unknown>>;

interface NewPasskey extends PasskeyAnswer {
  readonly credential: string;
  readonly publicKey: string;
  readonly rpId: string;
}

interface PasskeysDeps {
  readonly store: Pick<ServingStore, 'findPasskey'>;
  readonly seal: OwnSeal;
  readonly clock: Clock;
  readonly originsOf: (request: IncomingMessage) => readonly string[];
}

/** EdDSA, ES256, RS256. The library's defaults include experimental ones, for which Node logs warnings. */
const ALGORITHMS = [-8, -7, -257];
const CHALLENGES = 'passkey challenge';
const CHALLENGE_LIFE_MS = 5 * 60_000;
/** The challenge's end, 16 random bytes, and their HMAC. */
const CHALLENGE = { ends: 8, random: 16, mac: 32 } as const;

/**
 * Passkeys (https://www.w3.org/TR/webauthn-3/) by @simplewebauthn/server, loaded at first use. Challenges are signed,
 * not kept: strangers fill nothing and any node takes the answer. They end after five minutes; the store notes answered
 * ones.
 */
export class Passkeys {
  readonly #deps: PasskeysDeps;

  constructor(deps: PasskeysDeps) {
    this.#deps = deps;
  }

  async challenge(): Promise<{ readonly challenge: string; readonly endsAtMs: number }> {
    const endsAtMs = this.#deps.clock.wallMs() + CHALLENGE_LIFE_MS;
    const ends = Buffer.alloc(CHALLENGE.ends);
    ends.writeBigUInt64BE(BigInt(endsAtMs));
    const content = Buffer.concat([ends, randomBytes(CHALLENGE.random)]);
    const mac = await this.#deps.seal.mark(CHALLENGES, content);
    return { challenge: Buffer.concat([content, mac]).toString('base64url'), endsAtMs };
  }

  /** Returns a person's handle for authenticators: nameless, the same for all passkeys. */
  async userHandle(userId: number): Promise<string> {
    return (await this.#deps.seal.mark('passkey person', String(userId))).toString('base64url');
  }

  /** Verifies a known passkey's signature; null: invalid. Only the store detects reuse. */
  async verified(given: PasskeyJson, request: IncomingMessage): Promise<PasskeyAnswer | null> {
    const challenge = await this.#challengeIn(given);
    const passkeyId = idOf(given);
    const known = challenge && (await this.#deps.store.findPasskey({ passkeyId }));
    if (challenge === null || known === null) return null;
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { counter, rpId: expectedRPID } = known;
    const publicKey = new Uint8Array(Buffer.from(known.publicKey, 'base64url'));
    const { verified, authenticationInfo } = await orRefused(() =>
      verifyAuthenticationResponse({
        response: given as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge.text,
        expectedOrigin: [...this.#deps.originsOf(request)],
        expectedRPID,
        credential: { id: String(given.id), publicKey, counter },
      }),
    );
    if (!verified) return null;
    return { passkeyId, counter: authenticationInfo.newCounter, ...challenge.spent };
  }

  /** Verifies a new passkey; null: invalid. */
  async registered(given: PasskeyJson, request: IncomingMessage): Promise<NewPasskey | null> {
    const challenge = await this.#challengeIn(given);
    if (challenge === null || !(await isUnattested(given))) return null;
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const origins = this.#deps.originsOf(request);
    const { verified, registrationInfo } = await orRefused(() =>
      verifyRegistrationResponse({
        response: given as unknown as RegistrationResponseJSON,
        expectedChallenge: challenge.text,
        expectedOrigin: [...origins],
        expectedRPID: origins.map((origin) => new URL(origin).hostname),
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (!verified || registrationInfo === undefined) return null;
    const { credential, rpID: rpId = '' } = registrationInfo;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    const passkeyId = hash('sha256', Buffer.from(credential.id, 'base64url'));
    return { passkeyId, credential: credential.id, publicKey, counter: credential.counter, rpId, ...challenge.spent };
  }

  /** Returns the answered challenge if it is ours, else null. */
  async #challengeIn({ response }: PasskeyJson) {
    const { clientDataJSON } = (response ?? {}) as { readonly clientDataJSON?: unknown };
    const text = challengeIn(String(clientDataJSON));
    const bytes = Buffer.from(text, 'base64url');
    const { ends, random, mac } = CHALLENGE;
    if (bytes.length !== ends + random + mac) return null;
    const content = bytes.subarray(0, ends + random);
    if (!(await this.#deps.seal.isOurs(CHALLENGES, content, bytes.subarray(ends + random)))) return null;
    const challengeEndsMs = Number(content.readBigUInt64BE());
    return { text, spent: { challengeHash: hash('sha256', bytes), challengeEndsMs } };
  }
}

const REFUSED = { verified: false, registrationInfo: undefined, authenticationInfo: undefined } as const;

/** Replaces the library's exceptions, whose messages are not for clients. */
async function orRefused<T>(verify: () => Promise<T>): Promise<T | typeof REFUSED> {
  try {
    return await verify();
  } catch {
    return REFUSED;
  }
}

/**
 * Tells whether there is no attestation, as requested. Otherwise the library would fetch revocation lists from any
 * address in the certificates.
 */
async function isUnattested({ response }: PasskeyJson): Promise<boolean> {
  const { attestationObject } = (response ?? {}) as { readonly attestationObject?: unknown };
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const bytes = new Uint8Array(Buffer.from(String(attestationObject), 'base64url'));
    return decodeAttestationObject(bytes).get('fmt') === 'none';
  } catch {
    return false;
  }
}

/** SHA-256 of the credential's id. */
function idOf({ id }: PasskeyJson): string {
  return hash('sha256', Buffer.from(String(id), 'base64url'));
}

/** Returns the challenge as base64url; empty without one, or if a frame in a page of another site asked for it. */
function challengeIn(clientDataJson: string): string {
  const client = parseJsonObject(Buffer.from(clientDataJson, 'base64url').toString('utf8')) ?? {};
  const { challenge, crossOrigin = false, topOrigin } = client;
  const isOwn = crossOrigin === false && topOrigin === undefined;
  return isOwn && typeof challenge === 'string' ? challenge : '';
}
