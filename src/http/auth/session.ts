import { isLikeApiKey } from '../../contract/api-key.ts';
import { errorDetail } from '../../contract/details.ts';
import { parseSessionToken, SESSION_COOKIE } from '../../contract/session-token.ts';
import type { ActingStore, SignedIn, UserActor } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import { personOwner } from '../limits/body-budget.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import type { ChangeThrottle } from '../limits/throttles.ts';
import type { Context } from '../request-state.ts';
import type { Streams } from '../streams/streams.ts';
import { bearerOf } from './api-key.ts';
import type { RequireSameOrigin } from './same-origin.ts';
import { giveCookie, sessionCookiesOf } from './session-cookie.ts';

export interface Person extends SignedIn {
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
export function requireProof({ state }: Context, { confirmed }: Pick<Person, 'confirmed'>): void {
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
