import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';

/** Throws `cross_site` unless a page of this server sent the request. */
export type RequireSameOrigin = (request: IncomingMessage) => void;

/** Returns the origins of our pages for a request: the configured one, and that of its Host. */
export function originsOver(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  clients: ClientAddresses,
): (request: IncomingMessage) => readonly string[] {
  const configured = originOf(baseUrl ?? '');
  return (request) => {
    const own = originOf(`${clients.schemeOf(request)}://${request.headers.host ?? ''}`);
    return [configured, own].filter((origin) => origin !== null);
  };
}

/**
 * Guards cookie authentication against other sites' requests. `Sec-Fetch-Site`
 * (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header) cannot be set by pages. `same-site` (a neighbour on the
 * domain) and `none` (a typed address) are not ours. Older browsers, and those on plain HTTP, send `Origin`.
 */
export function sameOriginCheck(config: Pick<Config, 'baseUrl'>, clients: ClientAddresses): RequireSameOrigin {
  const originsOf = originsOver(config, clients);
  return (request) => {
    const { 'sec-fetch-site': site, origin = '' } = request.headers;
    if (site === 'same-origin' || (site === undefined && originsOf(request).includes(origin))) return;
    throw new ApiError('cross_site');
  };
}

/** Returns the origin as browsers write it, without a path and the default port; null: none. */
function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
