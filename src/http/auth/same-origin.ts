import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';

/** Throws `cross_site` for a request that does not come from a page of this server. */
export type RequireSameOrigin = (request: IncomingMessage) => void;

/**
 * Guards what a browser authenticates by itself: another site could make it send the request. Browsers say where it
 * comes from in `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header), which no page can set.
 * `same-site` is a neighbour on the same domain, and `none` somebody who typed the address: neither is a page of ours.
 * Browsers from before that header, and those on plain HTTP, say it in `Origin`.
 */
export function sameOriginCheck({ baseUrl }: Pick<Config, 'baseUrl'>, clients: ClientAddresses): RequireSameOrigin {
  const configured = originOf(baseUrl ?? '');
  return (request) => {
    const { 'sec-fetch-site': site, origin, host = '' } = request.headers;
    if (site === 'same-origin') return;
    const isOurs = (ours: string | null): boolean => ours !== null && origin === ours;
    if (site === undefined && (isOurs(configured) || isOurs(originOf(`${clients.schemeOf(request)}://${host}`))))
      return;
    throw new ApiError('cross_site');
  };
}

/** As browsers write it: without a path and the scheme's own port. null: there is none. */
function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
