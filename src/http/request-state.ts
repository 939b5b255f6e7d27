import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { looksSecret } from '../contract/secrets.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { HttpResponse } from './response.ts';

/** What is known of a request while it is being answered. */
export interface RequestState {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** The pattern of the route, never the address itself: that may hold anything. */
  route: string | null;
  keyId: string | null;
  /** Internal id of who is signed in. */
  userId: number | null;
  /** The event was known by its idempotency key: whether the request is the one that it was first sent with. */
  replay: 'same' | 'different' | null;
  /** Among the requests that are being answered at the same time. */
  readonly inFlight: InFlight;
  isInFlight: boolean;
  /** Header fields that the answer carries, whatever it will be: names and values in turns. */
  readonly headers: string[];
}

export type Context = ParameterizedContext<RequestState>;

/** As much of a context as a route needs that reads neither path nor query: Koa's is one, too. */
export interface BareContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: RequestState;
}

/** A route: from a request to its answer. It throws ApiError or FieldsError to answer with an error. */
export type Handler<C extends BareContext = Context> = (context: C) => Promise<HttpResponse> | HttpResponse;

/** The id of a request: the client's own where it is a harmless one, and no secret that got into the wrong field. */
export function requestIdOf(request: IncomingMessage | undefined): string {
  const given = request?.headers['x-request-id'];
  const isGood = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && !looksSecret(given);
  return isGood ? given : randomUUID();
}

/** What is known of a request when it arrives: its id. */
export function newRequestState(request: IncomingMessage, inFlight: InFlight): RequestState {
  const requestId = requestIdOf(request);
  return {
    requestId,
    startedAtMs: performance.now(),
    route: null,
    keyId: null,
    userId: null,
    replay: null,
    inFlight,
    isInFlight: false,
    headers: ['X-Request-Id', requestId],
  };
}
