import { isLikeApiKey } from '../../contract/api-key.ts';
import { parseSessionToken, SESSION_COOKIE } from '../../contract/session-token.ts';
import type { ActingStore, SignedIn, UserActor } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import { personOwner } from '../limits/body-budget.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import type { ChangeThrottle } from '../limits/throttles.ts';
import type { Context } from '../request-state.ts';
import type { Streams } from '../streams/streams.ts';
import { bearerOf } from './api-key.ts';
import type { RequireSameOrigin } from './same-origin.ts';
import { giveCookie, sessionCookiesOf } from './session-cookie.ts';

/** The person who is signed in, and their session. */
export interface Person extends SignedIn {
  /** SHA-256 of the session's token, hex. */
  readonly tokenHash: string;
  /** Whether they have lately proved who they are, or are never asked. */
  readonly confirmed: boolean;
  readonly actor: UserActor;
  /** Calls in this person's name, which check the session again when they act. */
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
/** The header of answers to browsers with the position from which a stream continues. */
const POSITION = 'Last-Event-ID';
const NOT_FOR_KEYS = 'This address needs a session token, not an API key.';
const SEVERAL_COOKIES = `There is more than one ${SESSION_COOKIE} cookie.`;

/**
 * Finds the person of a request's session. Throws 401; 403 `cross_site` for a cookie from elsewhere; 429 for too many
 * changes, unless `uncounted`; 401 `confirm_identity` where the operation asks for a fresh proof, unless `unproven`: then
 * the caller does.
 */
export type Authenticate = (context: Context, as?: 'uncounted' | 'mark' | 'unproven') => Promise<Person>;

/** Throws where the operation asks for a fresh proof of who is there, and the session is too old to count as one. */
export function requireProof({ state }: Context, { confirmed }: Pick<Person, 'confirmed'>): void {
  if (state.asksProof && !confirmed) throw new ApiError('confirm_identity');
}

/**
 * Sessions are not cached: every session route asks the store anyway, and so the end of a session or membership takes
 * effect with the next request.
 */
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
      throw new ApiError('not_signed_in', isLikeApiKey(token) ? { message: NOT_FOR_KEYS } : {});
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

/** The one that is named in the path, else the first one. */
function workspaceOf({ memberships }: SignedIn, slug: string | undefined): number | undefined {
  return (memberships.find((place) => place.slug === slug) ?? memberships[0])?.workspaceId;
}

/**
 * The token that a request is made with. Where it has an Authorization header, that counts: no other site can make a
 * browser send one. The cookie goes along by itself.
 */
function presented({ req, state }: Context, requireSameOrigin: RequireSameOrigin): string {
  const { authorization } = req.headers;
  const [token, ...others] = authorization === undefined ? sessionCookiesOf(req) : [];
  if (token === undefined) return bearerOf(authorization);
  requireSameOrigin(req);
  if (others.length > 0) throw new ApiError('invalid_request', { message: SEVERAL_COOKIES });
  state.byCookie = true;
  return token;
}
