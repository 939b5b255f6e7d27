import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config.ts';
import { isLikeApiKey } from '../../contract/api-key.ts';
import { errorDetail } from '../../contract/details.ts';
import { parseSessionToken, SESSION_COOKIE } from '../../contract/secret-token.ts';
import type { ActingStore, SignedIn, UserActor } from '../../store/calls.ts';
import type { ServingStore } from '../../store/client.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import { personOwner } from '../limits/body-budget.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import type { ChangeThrottle } from '../limits/throttles.ts';
import type { Context } from '../request-state.ts';
import type { Streams } from '../streams/streams.ts';
import { bearerOf } from './api-key.ts';
import { giveCookie, sessionCookiesOf } from './cookies.ts';

interface Person extends SignedIn {
  /** SHA-256 of the session's token, hex. */
  readonly tokenHash: string;
  /** Whether they proved their identity lately, or are never asked to. */
  readonly confirmed: boolean;
  readonly actor: UserActor;
  /** The person's calls, which check the session again when they act. */
  readonly store: ActingStore;
}

interface Parts {
  readonly store: ServingStore;
  readonly clients: ClientAddresses;
  readonly requireSameOrigin: RequireSameOrigin;
  readonly countChange: ChangeThrottle;
  readonly proven: ProvenClients;
  readonly streams: Pick<Streams, 'position'>;
}

const READING = ['GET', 'HEAD'];
/** The response header with the position from which a browser continues a stream. */
const POSITION = 'Last-Event-ID';

/**
 * Returns the session's person. Throws 401; 403 `cross_site` for a cookie from elsewhere; 429 for too many changes,
 * unless `uncounted`. Throws 401 `confirm_identity` if a fresh proof is due, unless `unproven`: then the caller checks.
 */
export type Authenticate = (context: Context, as?: 'uncounted' | 'mark' | 'unproven') => Promise<Person>;

/** Throws if the operation needs a fresh proof and the session is too old. */
function requireProof({ state }: Context, { confirmed }: Pick<Person, 'confirmed'>): void {
  if (state.asksProof && !confirmed) throw new ApiError('confirm_identity');
}

/** Sessions are not cached, so they end at the next request. Session routes ask the store anyway. */
export function sessionAuthentication({
  store,
  clients,
  requireSameOrigin,
  countChange,
  proven,
  streams,
}: Parts): Authenticate {
  return async (context, as) => {
    const token = presented(context, requireSameOrigin);
    const tokenHash = parseSessionToken(token);
    // Before anything is read.
    if (context.state.byCookie && context.method === 'GET') context.state.headers.push(POSITION, streams.position());
    const session = tokenHash === null ? null : await store.findSession({ tokenHash });
    if (tokenHash === null || session === null) {
      context.state.refused = token === '' ? null : 'session';
      throw new ApiError('not_signed_in', isLikeApiKey(token) ? { detail: errorDetail('not_for_keys') } : {});
    }
    const { id, email: name } = session.user;
    context.state.userId = id;
    context.state.bodyOwner = personOwner(id, workspaceOf(session, context.params.workspace));
    proven.addRequest(context.req);
    if (as !== 'uncounted' && !READING.includes(context.method)) await countChange(id, as === 'mark');
    if (session.stale) {
      store.touchSession({ tokenHash }).catch(() => null); // the next request tries again
      if (context.state.byCookie) giveCookie(context.state, token); // The browser would drop it at its first end.
    }
    const address = clients.addressOf(context.req);
    const actor: UserActor = { kind: 'user', name, address, session: tokenHash, manages: null };
    if (as !== 'unproven') requireProof(context, session);
    return { ...session, tokenHash, actor, store: store.as(actor) };
  };
}

/** Returns the path's workspace, else the first one. */
function workspaceOf({ memberships }: SignedIn, slug: string | undefined): number | undefined {
  return (memberships.find((place) => place.slug === slug) ?? memberships[0])?.workspaceId;
}

/** Returns the token. Prefers the Authorization header, which other sites cannot set; cookies come unasked. */
function presented({ req, state }: Context, requireSameOrigin: RequireSameOrigin): string {
  const { authorization } = req.headers;
  const [token, ...others] = authorization === undefined ? sessionCookiesOf(req) : [];
  if (token === undefined) return bearerOf(authorization);
  requireSameOrigin(req);
  if (others.length > 0) throw invalidRequest('several_cookies', { cookie: SESSION_COOKIE });
  state.byCookie = true;
  return token;
}

interface Manager {
  readonly workspaceId: number;
  /** The workspace's slug. */
  readonly workspace: string;
  /** The manager's calls, which check session and role again when they act. */
  readonly store: ActingStore;
}

/**
 * Returns the asking manager. Throws 401; 404 for a user outside of the workspace; 403 for a plain member. Operations
 * that need the workspace `active` get 403 while it is suspended. A due fresh proof is checked last.
 */
export type AuthorizeManager = (context: Context, needs?: 'active') => Promise<Manager>;

export function managerAuthorization(store: ServingStore, authenticate: Authenticate): AuthorizeManager {
  return async (context, needs) => {
    const person = await authenticate(context, 'unproven');
    const { memberships, actor } = person;
    const place = memberships.find(({ slug }) => slug === context.params.workspace);
    if (place === undefined) throw new ApiError('workspace_not_found');
    if (place.role === 'member') throw new ApiError('role_too_low');
    if (needs === 'active' && place.status !== 'active') throw new ApiError('workspace_inactive');
    requireProof(context, person);
    const { workspaceId, slug: workspace } = place;
    const manager = { ...actor, manages: workspaceId, ...(needs === 'active' && { needs }) };
    return { workspaceId, workspace, store: store.as(manager) };
  };
}

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
