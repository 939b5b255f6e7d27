import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { ResponseOf } from '../contract/api-types.ts';
import type { OperationId } from '../contract/operations.ts';
import { isLikeSecret } from '../contract/secrets.ts';
import type { BodyState, RequestBodies } from './body/request-bodies.ts';
import { errorResponse } from './errors.ts';
import type { HttpResponse } from './response.ts';
import { strictTransport } from './strict-transport.ts';

/** The credential that a client tried. */
export type Refused = 'password' | 'pairing' | 'key' | 'session' | 'device';

/** The state of a request while it is being answered. */
export interface RequestState extends BodyState {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** The pattern of the route, never the path itself, which may contain anything. */
  route: string | null;
  /** Whether a browser is asked for a fresh proof of who is there. */
  asksProof: boolean;
  keyId: string | null;
  /** Internal id of the person who is signed in. */
  userId: number | null;
  /** Whether the session token came in the cookie. */
  byCookie: boolean;
  /** Why it was refused, if it presented a wrong credential. */
  refused: Refused | null;
  /** A replay by idempotency key: whether the request is the same as the first one. */
  replay: 'same' | 'different' | null;
  /** How its errors are reported. */
  describeError: (error: unknown) => HttpResponse;
  readonly bodies: RequestBodies;
  /** Header fields of any response to it: names and values in turns. */
  readonly headers: string[];
}

export type Context = ParameterizedContext<RequestState>;

/** The part of Koa's context that a route needs which reads neither path nor query. */
export type BareContext = Pick<Context, 'req' | 'res' | 'state'>;

/** Carries out a request. Throws ApiError or FieldsError to answer with an error. */
export type Handler<R extends HttpResponse = HttpResponse, C extends BareContext = Context> = (
  context: C,
) => Promise<R> | R;

/** Carries out an operation, and answers nothing but what the description says. */
export type OperationHandler<Id extends OperationId> = Handler<ResponseTo<Id>>;

/** A response of the description; a Buffer has its bytes. */
export type ResponseTo<Id extends OperationId> = Sent<ResponseOf<Id>>;
type Sent<Response> = Response extends { readonly status: number; readonly body: infer Body }
  ? Omit<HttpResponse, 'status' | 'body'> & { readonly status: Response['status']; readonly body: Body | Buffer }
  : Response extends { readonly status: number }
    ? Omit<HttpResponse, 'status' | 'body'> & { readonly status: Response['status']; readonly body?: never }
    : never;

/** Handlers, each by the id of the operation that it carries out. */
export type Routes = { readonly [Id in OperationId]?: OperationHandler<Id> };

/** The id of a request: the client's own, unless it is malformed or looks like a secret sent in the wrong field. */
export function requestIdOf(request: IncomingMessage | undefined): string {
  const given = request?.headers['x-request-id'];
  const isGood = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && !isLikeSecret(given);
  return isGood ? given : randomUUID();
}

/** The state of a request that has just arrived. */
export function newRequestState(
  request: IncomingMessage,
  limits: Pick<RequestState, 'inFlight' | 'bodies'>,
): RequestState {
  const requestId = requestIdOf(request);
  return {
    requestId,
    startedAtMs: performance.now(),
    route: null,
    asksProof: false,
    keyId: null,
    userId: null,
    byCookie: false,
    refused: null,
    replay: null,
    describeError: errorResponse,
    ...limits,
    isInFlight: false,
    bodyOwner: null,
    body: null,
    headers: ['X-Request-Id', requestId, ...strictTransport(request)],
  };
}
