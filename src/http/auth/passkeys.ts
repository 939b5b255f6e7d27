import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Clock } from '../../process/clock.ts';
import type { PasskeyAnswer } from '../../store/calls/sessions.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { parseJsonObject } from '../../values/json.ts';
import type { OwnSeal } from './own-seal.ts';

/** The JSON form of a `PublicKeyCredential`. Only the library checks it. */
export type PasskeyJson = Readonly<Record<string, unknown>>;

/** A new passkey, whose answer to a challenge was verified. */
export interface NewPasskey extends PasskeyAnswer {
  readonly credential: string;
  readonly publicKey: string;
  readonly rpId: string;
}

interface PasskeysDeps {
  readonly store: Pick<ServingStore, 'findPasskey'>;
  readonly seal: OwnSeal;
  readonly clock: Clock;
  /** The origins that this server has for a request. */
  readonly originsOf: (request: IncomingMessage) => readonly string[];
}

/**
 * Those that the web app asks for: EdDSA, ES256, RS256. Left to itself, the library asks Node for its experimental ones,
 * which writes warnings into the log.
 */
const ALGORITHMS = [-8, -7, -257];
const CHALLENGES = 'passkey challenge';
const CHALLENGE_LIFE_MS = 5 * 60_000;
/** When it ends, 16 random bytes, and their HMAC. */
const CHALLENGE = { ends: 8, random: 16, mac: 32 } as const;

/**
 * Passkeys (https://www.w3.org/TR/webauthn-3/), by @simplewebauthn/server, which is loaded when the first one comes.
 *
 * A challenge is kept nowhere: it is signed by the server, ends after five minutes, and the store notes those that were
 * answered, so that strangers who ask for challenges fill nothing, and any node takes the answer.
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

  /** Returns the handle by which authenticators know a person: the same for all their passkeys, and no name. */
  async userHandle(userId: number): Promise<string> {
    return (await this.#deps.seal.mark('passkey person', String(userId))).toString('base64url');
  }

  /** A signature by a passkey that is known; null: it is not good. Whether it was used before the store knows. */
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

  /** A new passkey; null: its answer is not good. */
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

  /** The challenge that was answered, if it is one of ours; null: it is not. */
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

/** The library throws for most of what is wrong, and says it in words that are not for the client. */
async function orRefused<T>(verify: () => Promise<T>): Promise<T | typeof REFUSED> {
  try {
    return await verify();
  } catch {
    return REFUSED;
  }
}

/**
 * We ask for no attestation. One that comes all the same is not looked at: for its certificates the library would ask
 * whatever address stands in them for a list of revoked ones.
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

/** Base64url; empty where there is none, or a page of another site had a frame of ours ask for it. */
function challengeIn(clientDataJson: string): string {
  const client = parseJsonObject(Buffer.from(clientDataJson, 'base64url').toString('utf8')) ?? {};
  const { challenge, crossOrigin = false, topOrigin } = client;
  const isOwn = crossOrigin === false && topOrigin === undefined;
  return isOwn && typeof challenge === 'string' ? challenge : '';
}
