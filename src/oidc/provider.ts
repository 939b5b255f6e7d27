import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { baseUrlOf, type Config, type OidcSettings } from '../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../config/named-file.ts';
import { BoundExceeded, sendRequest } from '../process/bounded-request.ts';
import { type Clock, hasJumped, type Moment, momentOf } from '../process/clock.ts';
import { type ClockOff, SKEW_MS, type Trouble, troubleOf, troubleWith } from './trouble.ts';

/** The values that must come back from the provider. The browser keeps them, so no server secret is in them. */
export interface RoundTrip {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly beganAtMs: number;
  /** Requires a new sign-in at the provider. */
  readonly confirms: boolean;
}

/** The returned identity. `isProof`: the person signed in since the round trip began. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly isProof: boolean;
  /** Returns a verified address, asking if needed; null: none. Throws `OidcFailure`. */
  email(): Promise<string | null>;
}

/** `unavailable`: nobody can sign in. `denied`: the provider did not let them. `refused`: its answer is bad. */
export class OidcFailure extends Error {
  readonly kind: 'unavailable' | 'denied' | 'refused';

  constructor(kind: OidcFailure['kind'], cause: unknown) {
    super(`sign-in through the provider: ${kind}`, { cause });
    this.kind = kind;
  }
}

interface OidcProviderDeps {
  readonly settings: OidcSettings;
  readonly redirectUri: string;
  readonly secretPath: () => string;
  readonly clock: Clock;
}

/** A person's claims, in a token or on request. */
interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
}

/** Returns the configured provider; null: none. */
export function configuredProvider(
  config: Pick<Config, 'oidc' | 'baseUrl' | 'listen' | 'tls' | 'handedOver'>,
  clock: Clock,
): OidcProvider | null {
  const { oidc } = config;
  if (oidc === null) return null;
  const secretPath = () => readablePath(config, oidc.clientSecretFile);
  return new OidcProvider({ settings: oidc, redirectUri: redirectUriOf(config), secretPath, clock });
}

/** Returns the redirect address to register. */
export function redirectUriOf(config: Pick<Config, 'baseUrl' | 'listen' | 'tls'>): string {
  return `${baseUrlOf(config)}/v1/session/oidc/callback`;
}

/** Holds for browsers that return, are sent there, or find the provider down. */
const KNOWN_FOR_MS = 10 * 60_000;
const FRESH_FOR_MS = 5_000;
const COMPARED_FOR_MS = 3_600_000;

interface Discovered {
  readonly secret: string;
  readonly atMs: number;
  readonly failed: boolean;
  readonly configuration: Promise<Configuration>;
}

/**
 * The OpenID provider (https://openid.net/specs/openid-connect-core-1_0.html): code flow with PKCE, state and nonce.
 * Loads openid-client at first use. Refreshes metadata and secret before sending a browser: none goes to a provider
 * that is down.
 */
export class OidcProvider {
  readonly #deps: OidcProviderDeps;
  #discovered: Discovered | null = null;
  #trouble: Trouble | null = null;
  #compared: { readonly aheadMs: number; readonly at: Moment } | null = null;

  constructor(deps: OidcProviderDeps) {
    this.#deps = deps;
  }

  get issuer(): string {
    return this.#deps.settings.issuer;
  }

  /** Why the last sign-in failed; null: it worked. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Returns how far this clock was ahead at the last answer; null: unknown, too old, or since set. */
  get clockOff(): ClockOff | null {
    const { clock } = this.#deps;
    const compared = this.#compared;
    if (compared === null || hasJumped(clock, compared.at)) return null;
    const { aheadMs, at } = compared;
    return clock.steadyMs() - at.steadyMs > COMPARED_FOR_MS ? null : { aheadMs, atMs: at.wallMs };
  }

  /** Checks the provider's metadata and returns the problem. Never rejects. */
  async examine(): Promise<Trouble | null> {
    await this.#configuration(FRESH_FOR_MS).catch(() => null);
    return this.#trouble;
  }

  /** Returns the browser's target and values to return. Throws `OidcFailure`. */
  async begin(isConfirmation: boolean): Promise<{ readonly address: string; readonly trip: RoundTrip }> {
    const { redirectUri, settings, clock } = this.#deps;
    const configuration = await this.#configuration(FRESH_FOR_MS);
    const oidc = await import('openid-client');
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const { href } = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: settings.scopes.join(' '),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      // Providers may know only one; `auth_time` shows the result.
      ...(isConfirmation && { max_age: '0', prompt: 'login' }),
    });
    return { address: href, trip: { state, nonce, verifier, beganAtMs: clock.wallMs(), confirms: isConfirmation } };
  }

  /** Returns the identity from the returned query. Throws `OidcFailure`. */
  async finish(search: string, { state, nonce, verifier, beganAtMs }: RoundTrip): Promise<ProvidedIdentity> {
    const configuration = await this.#configuration(KNOWN_FOR_MS);
    const oidc = await import('openid-client');
    const address = new URL(this.#deps.redirectUri);
    address.search = search;
    const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await this.#asked(() => oidc.authorizationCodeGrant(configuration, address, expected));
    const claims = tokens.claims();
    // The library accepts issuers with a tenant placeholder.
    if (claims === undefined || claims.iss !== configuration.serverMetadata().issuer) {
      throw new OidcFailure('refused', 'the token is from another issuer');
    }
    // Every account without a name would be the same member.
    if (claims.sub.trim() === '') throw new OidcFailure('refused', 'the token names no account');
    const provenAtMs = Number(claims.auth_time) * 1_000;
    // It would prove for any later time.
    if (provenAtMs > this.#deps.clock.wallMs() + SKEW_MS)
      throw new OidcFailure('refused', 'auth_time is in the future');
    return {
      issuer: claims.iss,
      subject: claims.sub,
      isProof: provenAtMs >= beganAtMs - SKEW_MS,
      email: async () =>
        this.#emailIn(
          claims.email !== undefined && claims.email_verified !== undefined
            ? claims
            : await this.#userInfo(configuration, tokens.access_token, claims),
        ),
    };
  }

  /** Asks the provider, if possible, for claims missing in the token. */
  async #userInfo(configuration: Configuration, token: string, claims: Claims): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const oidc = await import('openid-client');
    const claimed = await this.#asked(() => oidc.fetchUserInfo(configuration, token, claims.sub));
    return claimed.email === undefined ? claims : claimed;
  }

  #emailIn({ email, email_verified: isVerified }: Claims): string | null {
    const counts = isVerified === true || this.#deps.settings.trustEmail;
    return counts && typeof email === 'string' && isPlain(email) ? email : null;
  }

  /** Caches failures for seconds: strangers' tries do not burden the provider. */
  async #configuration(knownForMs: number): Promise<Configuration> {
    const nowMs = this.#deps.clock.steadyMs();
    const secret = this.#secret();
    const known = this.#discovered;
    const lastsMs = known?.failed ? FRESH_FOR_MS : knownForMs;
    if (known !== null && known.secret === secret && nowMs - known.atMs < lastsMs) return known.configuration;
    const configuration = this.#discover(secret);
    this.#discovered = { secret, atMs: nowMs, failed: false, configuration };
    configuration.catch(() => {
      this.#discovered = { secret, atMs: this.#deps.clock.steadyMs(), failed: true, configuration };
    });
    return configuration;
  }

  async #discover(secret: string): Promise<Configuration> {
    const { settings } = this.#deps;
    const oidc = await import('openid-client');
    const issuer = new URL(settings.issuer);
    const plain = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
    const authenticate: ClientAuth = (server, ...rest) =>
      (isPostAlone(server.token_endpoint_auth_methods_supported) ? post : basic)(server, ...rest);
    const found = await this.#asked(() =>
      oidc.discovery(issuer, settings.clientId, undefined, authenticate, {
        [oidc.customFetch]: (url, options) => this.#fetch(url, options),
        execute: [oidc.enableNonRepudiationChecks, ...plain],
      }),
    );
    const named = found.serverMetadata().issuer;
    if (!URL.canParse(named) || new URL(named).href !== issuer.href) {
      throw this.#unavailable(troubleWith.issuer(named), named);
    }
    this.#trouble = null;
    return found;
  }

  async #fetch(url: string, options: CustomFetchOptions): Promise<Response> {
    const response = await boundedFetch(url, options);
    // Caches keep the original date (RFC 9111, section 5.1).
    const ageMs = 1_000 * (Number(response.headers.get('age')) || 0);
    const theirMs = Date.parse(response.headers.get('date') ?? '') + ageMs;
    const at = momentOf(this.#deps.clock);
    if (!Number.isNaN(theirMs)) this.#compared = { aheadMs: at.wallMs - theirMs, at };
    return response;
  }

  #secret(): string {
    const path = this.#deps.secretPath();
    try {
      const secret = readNamedFile(path).toString('utf8').trim();
      if (secret !== '') return secret;
    } catch (error) {
      throw this.#unavailable(troubleWith.secret(path, whyUnreadable(error)), error);
    }
    throw this.#unavailable(troubleWith.secret(path, 'is empty'), null);
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const found = troubleOf(error);
      if (found === 'denied' || found === 'refused') throw new OidcFailure(found, error);
      throw this.#unavailable(found, error);
    }
  }

  #unavailable(trouble: Trouble, cause: unknown): OidcFailure {
    this.#trouble = trouble;
    return new OidcFailure('unavailable', cause);
  }
}

/** Providers that say nothing else must know Basic. */
function isPostAlone(methods: readonly string[] | undefined): boolean {
  return methods !== undefined && !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
}

/**
 * Tells whether comparing an address changes only ASCII letters. Others may become ASCII (the Kelvin sign a k), and so
 * another person's address.
 */
function isPlain(email: string): boolean {
  return email.trim() === email && email.toLowerCase() === email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A provider's configuration, keys and tokens have some KiB. */
const BOUNDS = { withinMs: 10_000, mostBytes: 262_144 };
/** Nothing inflates a response. */
const IDENTITY = { 'accept-encoding': 'identity' };

/** Fetches for openid-client within all bounds. Rejects like `fetch`. */
async function boundedFetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
  const sent = body instanceof URLSearchParams ? body.toString() : (body as string | undefined);
  try {
    return asResponse(await sendRequest(url, { method, headers: { ...IDENTITY, ...headers }, body: sent, ...BOUNDS }));
  } catch (cause) {
    if (cause instanceof BoundExceeded && cause.code === 'ETIMEDOUT') throw new DOMException('', 'TimeoutError');
    throw new TypeError('fetch failed', { cause });
  }
}

function asResponse({ status, headers, body }: Awaited<ReturnType<typeof sendRequest>>): Response {
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers: named });
}
