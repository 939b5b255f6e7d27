import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';

/** Throws `cross_site` for a request that does not come from a page of this server. */
export type RequireSameOrigin = (request: IncomingMessage) => void;

/** The origins that pages of this server have, as far as a request shows: the configured one, and that of its Host. */
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
 * Guards what a browser authenticates by itself: another site could make it send the request. Browsers say where it
 * comes from in `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header), which no page can set.
 * `same-site` is a neighbour on the same domain, and `none` a user who typed the address: neither is a page of ours.
 * Browsers from before that header, and those on plain HTTP, say it in `Origin`.
 */
export function sameOriginCheck(config: Pick<Config, 'baseUrl'>, clients: ClientAddresses): RequireSameOrigin {
  const originsOf = originsOver(config, clients);
  return (request) => {
    const { 'sec-fetch-site': site, origin = '' } = request.headers;
    if (site === 'same-origin' || (site === undefined && originsOf(request).includes(origin))) return;
    throw new ApiError('cross_site');
  };
}

/** Returns the origin in the form of browsers: without a path and the scheme's own port. null: there is none. */
function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
