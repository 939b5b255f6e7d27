import type { WebPushRoute } from '../../contract/push-services.ts';
import { PROVIDERS } from '../../push.ts';
import { decodeHeader } from '../token-header.ts';
import { issuedKeys, makeIssuedToken, type SubscriptionKeys } from './issued.ts';
import { SERVICES } from './table.ts';

const { routes: ROUTES } = PROVIDERS.webpush;

/** Makes an endpoint of the sandbox. `vapidKey`: base64url. */
export function makeEndpoint(header: Buffer, unique: Buffer, vapidKey: string | null): string {
  const home = decodeHeader(header)?.home;
  const route = ROUTES.find((known) => known === home);
  if (route === undefined) throw new Error('not a push service of browsers');
  const { origins, pathOf } = SERVICES[route];
  return origins[0] + pathOf(makeIssuedToken(header, unique, vapidKey));
}

/** Returns its keys. Throws for endpoints of no sandbox. */
export function keysOf(endpoint: string): SubscriptionKeys {
  const token = tokenIn(endpoint)?.token;
  if (token === undefined) throw new Error('not an endpoint of the sandbox');
  return issuedKeys(token);
}

/** Returns any endpoint's route and last part; null: no service's. */
export function tokenIn(endpoint: string): { readonly route: WebPushRoute; readonly token: string } | null {
  const { origin, pathname, search } = new URL(endpoint);
  const route = ROUTES.find((known) => SERVICES[known].origins.includes(origin));
  const token = route === undefined ? null : SERVICES[route].tokenIn(pathname + search);
  return route === undefined || token === null ? null : { route, token };
}
