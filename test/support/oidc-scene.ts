import * as assert from 'uvu/assert';
import { ADA } from './cast.ts';
import { dataFolder } from './data-folder.ts';
import { type Account, aProvider, oidcEnv, type TestProvider } from './oidc.ts';
import { Resources } from './resources.ts';
import { aTeam, type Env, serveHere, type TestServer } from './server.ts';
import { WebWalker } from './web-walker.ts';

/** The address of the server, for browsers and the provider. */
export const PUSH = 'https://push.example.com';
export const BEGIN = `${PUSH}/api/v1/session/oidc`;
export const CALLBACK = `${BEGIN}/callback`;

export interface OidcScene extends Omit<TestServer, 'sandbox'> {
  readonly provider: TestProvider;
  /** Makes a new browser. */
  walker(): WebWalker;
}

/** The answer to a request by the app in a browser. */
export interface Redeemed {
  readonly status: number;
  /** The person who is signed in. */
  readonly email: string | null;
  readonly code: string | null;
}

export const VERIFIED: Account = { email: ADA, email_verified: true };

/** A server whose owner is Ada, and a provider that has an account of hers, `ada`. */
export async function withOidc(use: (scene: OidcScene) => Promise<void>, env: Env = {}): Promise<void> {
  await using opened = new Resources();
  const provider = opened.add(await aProvider(CALLBACK));
  provider.accounts.set('ada', VERIFIED);
  const settings = {
    PUSHCTL_DATA_DIR: dataFolder(),
    PUSHCTL_LISTEN: '127.0.0.1:0',
    PUSHCTL_BASE_URL: `${PUSH}/api`,
    ...oidcEnv(provider),
    ...env,
  };
  const server = await serveHere(opened, settings);
  const team = opened.add(await aTeam(settings, server.url));
  const hosts = new Map([[PUSH, server.url]]);
  await use({ server, team, env: settings, provider, walker: () => new WebWalker(hosts) });
}

/** Goes by the provider as this account, and answers the address at which the browser ends. */
export async function goRound(walker: WebWalker, account: string, begin = BEGIN): Promise<string> {
  const asked = await walker.go(begin);
  if (asked.address.startsWith(PUSH)) return asked.address;
  assert.match(asked.address, /\/interaction\//);
  const body = new URLSearchParams({ account });
  return (await walker.go(asked.address, { method: 'POST', body })).address;
}

/** The code with which a browser has come back. */
export function codeIn(address: string, what: 'pair' | 'confirm' = 'pair'): string {
  const [, code = ''] = new RegExp(`^${PUSH}/#${what}=(oidc-[\\w-]{32})$`).exec(address) ?? [];
  assert.is.not(code, '', `no code in ${address.replace(/#.*/, '')}#…`);
  return code;
}

/** Why a browser has come back without one. */
export function whyIn(address: string): string {
  return new RegExp(`^${PUSH}/#sign-in=(\\w+)$`).exec(address)?.[1] ?? `not at ${address}`;
}

/** Calls the API as the app in this browser. */
export async function ask(
  { server }: Pick<TestServer, 'server'>,
  walker: WebWalker,
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const jar = walker.cookies.get(PUSH) ?? new Map();
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  for (const given of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(given) ?? [];
    walker.cookies.set(PUSH, jar.set(name, value));
  }
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

export async function redeem(scene: Pick<TestServer, 'server'>, walker: WebWalker, code: string): Promise<Redeemed> {
  const { status, body } = await ask(scene, walker, '/session', { pairing_code: code, cookie: true });
  const { email = null } = (body.user ?? {}) as { email?: string };
  return { status, email, code: (body.code as string | undefined) ?? null };
}

/** Signs in from a new browser. */
export async function signInBy(
  scene: OidcScene,
  account: string,
  walker = scene.walker(),
): Promise<Redeemed & { readonly walker: WebWalker }> {
  const redeemed = await redeem(scene, walker, codeIn(await goRound(walker, account)));
  return { ...redeemed, walker };
}
