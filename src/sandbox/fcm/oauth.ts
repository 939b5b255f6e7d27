import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { readJwt } from '../jwt.ts';

/** A Google service account's JSON file. */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly token_uri: string;
}

interface OAuthError {
  readonly status: number;
  readonly body: { readonly error: string; readonly error_description: string };
}
interface AccessGrant {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

interface OAuthOptions {
  readonly serviceAccount: ServiceAccount;
  readonly tokenUrl: () => string;
  readonly lifetimeS: number;
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPES = ['https://www.googleapis.com/auth/firebase.messaging', 'https://www.googleapis.com/auth/cloud-platform'];
/** Values of `aud` that Google accepts beside the endpoint's address. */
const AUDIENCES = [
  'https://oauth2.googleapis.com/token',
  'https://www.googleapis.com/oauth2/v4/token',
  'https://accounts.google.com/o/oauth2/token',
];
const MAX_LIFETIME_S = 3600;
const CLOCK_SKEW_S = 300;

/** Google's token endpoint for one account, with its access tokens. */
export class OAuth {
  readonly #options: OAuthOptions;
  readonly #publicKey: KeyObject;
  readonly #expiryMsOf = new Map<string, number>();

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#publicKey = createPublicKey(options.serviceAccount.private_key);
  }

  /** `form`: the body of the POST, `application/x-www-form-urlencoded`. */
  grant(form: string, nowMs: number): AccessGrant | OAuthError {
    const fields = new URLSearchParams(form);
    if (fields.get('grant_type') !== GRANT_TYPE) return oauthError('unsupported_grant_type', 'Invalid grant_type');
    const refusal = this.#checkAssertion(fields.get('assertion') ?? '', nowMs);
    if (refusal !== null) return refusal;
    this.#forgetExpired(nowMs);
    const { lifetimeS } = this.#options;
    const access_token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.#expiryMsOf.set(access_token, nowMs + lifetimeS * 1000);
    return { access_token, expires_in: lifetimeS, token_type: 'Bearer' };
  }

  /** Returns whether the header has a valid access token. */
  isGood(authorization: string | undefined, nowMs: number): boolean {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return (this.#expiryMsOf.get(token) ?? 0) > nowMs;
  }

  /** Rejects all earlier access tokens from now on. */
  revokeAll(): void {
    this.#expiryMsOf.clear();
  }

  #checkAssertion(assertion: string, nowMs: number): OAuthError | null {
    const jwt = readJwt(assertion, 'RS256', this.#publicKey);
    if (jwt === null) return invalidGrant('Invalid JWT Signature.');
    const { iss, aud, scope, iat, exp } = jwt.claims;
    const nowS = nowMs / 1000;
    if (iss !== this.#options.serviceAccount.client_email) return invalidGrant('Invalid grant: account not found');
    if (typeof aud !== 'string' || ![this.#options.tokenUrl(), ...AUDIENCES].includes(aud)) {
      return invalidGrant('Invalid JWT: Failed audience check.');
    }
    if (typeof iat !== 'number' || typeof exp !== 'number')
      return invalidGrant('Invalid JWT: iat and exp are required.');
    if (exp < nowS || iat > nowS + CLOCK_SKEW_S || exp - iat > MAX_LIFETIME_S) {
      return invalidGrant(
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    }
    const scopes = typeof scope === 'string' ? scope.split(' ') : [];
    if (!scopes.some((asked) => SCOPES.includes(asked)))
      return oauthError('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    return null;
  }

  #forgetExpired(nowMs: number): void {
    for (const [token, expiryMs] of this.#expiryMsOf) if (expiryMs <= nowMs) this.#expiryMsOf.delete(token);
  }
}

export function isOAuthError(result: AccessGrant | OAuthError): result is OAuthError {
  return 'status' in result;
}

function invalidGrant(description: string): OAuthError {
  return oauthError('invalid_grant', description);
}

function oauthError(error: string, description: string): OAuthError {
  return { status: 400, body: { error, error_description: description } };
}
