import { createPrivateKey } from 'node:crypto';
import type { Clock } from '../../process/clock.ts';
import { parseJsonObject } from '../../values/json.ts';
import { ask, NotConnected, type ShortAnswer } from '../https.ts';
import { type Failed, notConnected, outcomeOfFault } from '../outcomes.ts';
import { jwt } from '../signing/signer.ts';
import type { FcmSettings } from './credentials.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };
const RENEW_EARLY_MS = 5 * 60_000;
/** How long a failure is kept, so that a batch asks a broken endpoint once. */
const FAILURE_KEPT_MS = 1000;

type AccessToken = { readonly token: string } | { readonly outcome: Failed };

/**
 * Fetches the service account's token on demand and keeps it until shortly before the end.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export class AccessTokens {
  readonly #settings: FcmSettings;
  readonly #clock: Clock;
  #kept: AccessToken | null = null;
  #keptUntilMs = 0;
  #asking: Promise<AccessToken> | null = null;

  constructor(settings: FcmSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  get(): Promise<AccessToken> {
    if (this.#kept !== null && this.#clock.steadyMs() < this.#keptUntilMs) return Promise.resolve(this.#kept);
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Forgets a refused token. Sends that used it share the next fetch. */
  forget(refused: AccessToken): void {
    if (this.#kept === refused) this.#kept = null;
  }

  async #fetch(): Promise<AccessToken> {
    const { tokenEndpoint, ca } = this.#settings;
    const grant = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertion(this.#settings, this.#clock.wallMs()),
    }).toString();
    const answer = await ask(tokenEndpoint, { method: 'POST', headers: HEADERS, body: grant, ca }).catch(
      (error: unknown) => error,
    );
    const granted = grantIn(answer);
    const nowMs = this.#clock.steadyMs();

    if (granted === null) {
      this.#kept = { outcome: outcomeWithout(answer) };
      this.#keptUntilMs = nowMs + FAILURE_KEPT_MS;
    } else {
      this.#kept = { token: granted.access_token };
      this.#keptUntilMs = nowMs + Math.max(granted.expires_in * 1000 - RENEW_EARLY_MS, 1000);
    }
    return this.#kept;
  }
}

/** Returns a JWT of the request, signed by the account. */
function assertion({ serviceAccount, tokenEndpoint }: FcmSettings, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000);
  const claims = { iss: serviceAccount.client_email, scope: SCOPE, aud: tokenEndpoint, iat, exp: iat + 3600 };
  return jwt({ alg: 'RS256' }, claims, createPrivateKey(serviceAccount.private_key));
}

function grantIn(answer: unknown): { readonly access_token: string; readonly expires_in: number } | null {
  const { status, body = '' } = answer as Partial<ShortAnswer>;
  const { access_token, expires_in } = (status === 200 && parseJsonObject(body)) || {};
  return typeof access_token === 'string' && typeof expires_in === 'number' ? { access_token, expires_in } : null;
}

/** Google refuses in JSON with `error`; a proxy's 403 or 407 says nothing. */
function outcomeWithout(answer: unknown): Failed {
  if (answer instanceof NotConnected) return notConnected(answer.message);
  const { status = 0, body = '' } = answer as Partial<ShortAnswer>;
  const isRefusal = status >= 400 && status < 500 && status !== 429 && parseJsonObject(body)?.error !== undefined;
  return outcomeOfFault(isRefusal ? 'access_token_refused' : 'access_token_unavailable');
}
