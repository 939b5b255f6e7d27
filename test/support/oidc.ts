import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';
import { temporaryFolder } from './folder.ts';
import type { Env } from './server.ts';

// It warns of being a test's, once for each provider, into the middle of the report.
console.warn = () => {};

export const CLIENT_SECRET = 'a-secret-of-forty-characters-and-no-more';

/** The provider's people, by their `sub`. */
export interface Account {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
}

/** A provider on loopback, with a page at which a person says who they are. */
export interface TestProvider {
  readonly issuer: string;
  /** May be changed at any time. */
  readonly accounts: Map<string, Account>;
  /** When who signs in from now on has shown themselves, in Unix seconds; null: at that time. */
  authTimeS: number | null;
  /** Requests by path. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** The keys of all providers of this file: making them takes longer than a sign-in. */
let signingKey: object | null = null;

function itsSigningKey(): object {
  signingKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  return signingKey;
}

/** `redirectUri`: the one that it knows. `port`: where an earlier one listened. */
export async function aProvider(redirectUri: string, port = 0): Promise<TestProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => null;
  const server = createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const asked: string[] = [];
  const provider = new Provider(issuer, settings(accounts, redirectUri));
  const own = provider.callback();
  const here: TestProvider = {
    issuer,
    accounts,
    asked,
    authTimeS: null,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  answer = async (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer);
    asked.push(pathname);
    if (!pathname.startsWith('/interaction/')) return own(request, response);
    if (request.method === 'GET') return response.setHeader('Content-Type', 'text/html').end(page(accounts));
    const accountId = new URLSearchParams(await text(request)).get('account') ?? '';
    const result =
      accountId === ''
        ? { error: 'access_denied' }
        : { login: { accountId, ...(here.authTimeS !== null && { ts: here.authTimeS }) } };
    return provider.interactionFinished(request, response, result);
  };
  return here;
}

/** The settings of a server that people sign in to by this provider. */
export function oidcEnv({ issuer }: Pick<TestProvider, 'issuer'>, more: Env = {}): Env {
  const secret = join(temporaryFolder(), 'secret');
  writeFileSync(secret, `${CLIENT_SECRET}\n`, { mode: 0o600 });
  return {
    PUSHCTL_OIDC_ISSUER: issuer,
    PUSHCTL_OIDC_CLIENT_ID: 'pushctl',
    PUSHCTL_OIDC_CLIENT_SECRET_FILE: secret,
    PUSHCTL_OIDC_NAME: 'Example',
    ...more,
  };
}

function settings(accounts: ReadonlyMap<string, Account>, redirectUri: string): object {
  return {
    clients: [
      {
        client_id: 'pushctl',
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        require_auth_time: true,
      },
    ],
    jwks: { keys: [{ ...itsSigningKey(), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...accounts.get(sub) }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    async loadExistingGrant({ oidc }: GrantContext) {
      const { accountId } = oidc.session;
      const grant = new oidc.provider.Grant({ accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
  };
}

interface GrantContext {
  readonly oidc: {
    readonly session: { readonly accountId: string };
    readonly client: { readonly clientId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<unknown> };
    };
  };
}

function page(accounts: ReadonlyMap<string, Account>): string {
  const buttons = ['', ...accounts.keys()].map(
    (sub) => `<button name="account" value="${sub}">${sub === '' ? 'Nobody' : sub}</button>`,
  );
  return `<!doctype html><title>The provider</title><form method="post">${buttons.join('')}</form>`;
}
