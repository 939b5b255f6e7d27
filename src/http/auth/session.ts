import { looksLikeApiKey } from '../../contract/api-key.ts';
import { parseSessionToken } from '../../contract/session-token.ts';
import { type ActingStore, actingAs } from '../../store/acting.ts';
import type { UserActor } from '../../store/calls.ts';
import type { SignedIn } from '../../store/people-calls.ts';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import type { ChangeThrottle } from '../limits/throttles.ts';
import type { Context } from '../request-state.ts';
import { bearerOf, type Store } from './api-key.ts';

/** The person who is signed in, and their session. */
export interface Person extends SignedIn {
  /** SHA-256 of the session's token, hex. */
  readonly tokenHash: string;
  readonly actor: UserActor;
  /** Calls in this person's name, which check the session again when they act. */
  readonly store: ActingStore;
}

const READING = ['GET', 'HEAD'];
const NOT_FOR_KEYS = 'An API key does not work here: this address takes a session token.';

/** Finds the person of a request's session. Throws 401; 429 for too many changes, unless `uncounted`. */
export type Authenticate = (context: Context, counts?: 'uncounted') => Promise<Person>;

/**
 * Sessions are not cached: every session route asks the store anyway, and so the end of a session or membership takes
 * effect with the next request.
 */
export function sessionAuthentication(
  store: Store,
  clients: ClientAddresses,
  countChange: ChangeThrottle,
): Authenticate {
  return async (context, counts) => {
    const token = bearerOf(context.req.headers.authorization);
    if (looksLikeApiKey(token)) throw new ApiError('not_signed_in', { message: NOT_FOR_KEYS });
    const tokenHash = parseSessionToken(token);
    if (tokenHash === null) throw new ApiError('not_signed_in');
    const session = await store.findSession({ tokenHash });
    if (session === null) throw new ApiError('not_signed_in');
    const { id, email: name } = session.user;
    context.state.userId = id;
    if (counts !== 'uncounted' && !READING.includes(context.method)) countChange(id);
    if (session.stale) store.touchSession({ tokenHash }).catch(() => null); // the next request tries again
    const address = clients.addressOf(context.req);
    const actor: UserActor = { kind: 'user', name, address, session: tokenHash, manages: null };
    return { ...session, tokenHash, actor, store: actingAs(store, actor) };
  };
}
