import type { IncomingMessage } from 'node:http';
import { isLikeApiKey, isSameHash, parseApiKey } from '../../contract/api-key.ts';
import { errorDetail } from '../../contract/details.ts';
import type { Operation } from '../../contract/operations/operation.ts';
import { isLikeSessionToken } from '../../contract/secret-token.ts';
import type { Clock } from '../../process/clock.ts';
import type { Scope } from '../../push.ts';
import type { ActingStore, KeyRecord, Reach } from '../../store/calls.ts';
import type { ServingStore } from '../../store/client.ts';
import { keyFault } from '../../store/key-fault.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { ApiError } from '../errors.ts';
import { keyOwner } from '../limits/body-budget.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import type { KeyThrottle } from '../limits/throttles.ts';
import type { Context, Handler } from '../request-state.ts';
import type { HttpResponse } from '../response.ts';
import { sessionCookiesOf } from './cookies.ts';

/** The caller by API key. The calls of `store` are made in its name and check the key again when they act. */
export interface Integrator {
  readonly key: KeyRecord;
  /** The whole key in its first form. */
  readonly apiKey: string;
  readonly store: ActingStore;
}

/**
 * Returns the key of a request, which needs one of `scopes` and acts by the first that it has. Throws 401 without a
 * good key, or 403 if the key may not be used. `token`: the key, if the request carries it elsewhere than as Bearer.
 */
export type Authorize = (context: Authorized, scopes: readonly Scope[], token?: string) => Promise<Integrator>;

/** Returns the reach of a key that may read. Counts the request, or throws `rate_limited`. */
export type AuthorizeRead = (context: Context) => Promise<{ readonly store: ActingStore; readonly reach: Reach }>;

interface Authorized {
  readonly req: Pick<Context['req'], 'headers'> & Partial<Pick<Context['req'], 'complete' | 'socket'>>;
  readonly state: Pick<Context['state'], 'refused' | 'keyId' | 'bodyOwner'>;
}

const CACHED_KEYS = 10_000;
const TOUCH_EVERY_MS = 60_000;

export function keyAuthorization(store: ServingStore, clock: Clock, proven: ProvenClients): Authorize {
  const find = cachedKeys(store);
  const touch = touching(store, clock);
  return async (context, scopes, token = bearerOf(context.req.headers.authorization)) => {
    // A client that presents nothing guesses nothing.
    context.state.refused = token === '' ? null : 'key';
    if (isLikeSessionToken(token)) throw new ApiError('unauthenticated', { detail: errorDetail('not_for_sessions') });
    const presented = parseApiKey(token);
    if (presented === null) throw new ApiError('unauthenticated');
    const key = find.cached(presented.id) ?? (await find.load(presented.id));
    if (key === null || !isSameHash(key.secretHash, presented.secretHash)) throw new ApiError('unauthenticated');
    context.state.refused = null;
    context.state.keyId = key.id;
    const scope = requireUsable(key, scopes, clock.wallMs());
    context.state.bodyOwner = keyOwner(key);
    proven.addRequest(context.req);
    touch(key.id);
    return { key, apiKey: presented.text, store: store.as({ kind: 'key', id: key.id, scope }) };
  };
}

export function readAuthorization(authorize: Authorize, count: KeyThrottle): AuthorizeRead {
  return async (context) => {
    const { key, store } = await authorize(context, ['events:read']);
    count(context, key);
    return { store, reach: reachOf(key) };
  };
}

export function reachOf({ workspaceId, boundKeyId }: KeyRecord): Reach {
  return { workspaceId, boundKeyId };
}

/** Returns the token of an Authorization header, or an empty text. */
export function bearerOf(authorization: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

function requireUsable(key: KeyRecord, scopes: readonly Scope[], wallMs: number): Scope {
  const [first] = scopes as readonly [Scope];
  const scope = scopes.find((candidate) => key.scopes.includes(candidate)) ?? first;
  const fault = keyFault(key, scope, wallMs);
  if (fault === 'missing_scope')
    throw new ApiError(fault, { detail: errorDetail('scope', { scopes: scopes.join(' or ') }) });
  if (fault !== null) throw new ApiError(fault);
  return scope;
}

/** Caches key records until keys change. Keeps only existing keys, so guesses evict nothing. */
function cachedKeys(store: ServingStore) {
  const cache = lruCache<string, KeyRecord>(CACHED_KEYS);
  let changes = 0;
  store.onTouched('keys', () => {
    changes += 1;
    cache.clear();
  });
  return {
    cached: (id: string): KeyRecord | undefined => cache.get(id),
    async load(id: string): Promise<KeyRecord | null> {
      const changesBefore = changes;
      const key = await store.findKey({ id });
      if (key !== null && changes === changesBefore) cache.set(id, key);
      return key;
    },
  };
}

/** Records that a key is in use, at most once a minute for each key. No request waits for this, and it may fail. */
function touching(store: ServingStore, clock: Clock): (id: string) => void {
  const touchedAtMs = lruCache<string, number>(CACHED_KEYS);
  return (id) => {
    const nowMs = clock.steadyMs();
    if (nowMs - (touchedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    touchedAtMs.set(id, nowMs);
    store.touchKey({ id }).catch(() => touchedAtMs.delete(id));
  };
}

interface ByToken<S extends HttpResponse, K extends HttpResponse> {
  readonly session: Handler<S>;
  readonly key: Handler<K>;
}

/** Chooses the view for people or integrators by token. Browsers have a cookie. */
export function byToken<S extends HttpResponse, K extends HttpResponse>({
  session,
  key,
}: ByToken<S, K>): Handler<S | K> {
  return (context) => {
    if (isBySession(context.req)) return session(context);
    if (bearerOf(context.req.headers.authorization) === '')
      throw new ApiError('unauthenticated', { detail: errorDetail('needs_token') });
    return key(context);
  };
}

/** Returns whether a person asks, whose errors have `details`: not an API key, a device or a machine's probe. */
export function isByPerson({ scopes, session, device, always }: Operation, request: IncomingMessage): boolean {
  if (device || always) return false;
  if (scopes === undefined) return !isLikeApiKey(bearerOf(request.headers.authorization));
  return session !== undefined && isBySession(request);
}

function isBySession(request: IncomingMessage): boolean {
  const { authorization } = request.headers;
  if (authorization === undefined) return sessionCookiesOf(request).length > 0;
  return isLikeSessionToken(bearerOf(authorization));
}
