import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { ResponseOf } from '../contract/api-types.ts';
import type { OperationId } from '../contract/operations.ts';
import { isLikeSecret } from '../contract/secret-token.ts';
import type { BodyState, RequestBodies } from './body/request-bodies.ts';
import { errorResponse } from './errors.ts';
import { strictTransport } from './listeners/strict-transport.ts';
import type { HttpResponse } from './response.ts';

/** The credential that a client tried. */
export type Refused = 'password' | 'pairing' | 'key' | 'session' | 'device';

export interface RequestState extends BodyState {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** The route's pattern. Never the path, which may contain anything. */
  route: string | null;
  /** Whether browsers need a fresh proof. */
  asksProof: boolean;
  keyId: string | null;
  /** Internal id of the signed-in person. */
  userId: number | null;
  /** Whether the session token came in the cookie. */
  byCookie: boolean;
  /** Why a wrong credential was refused. */
  refused: Refused | null;
  /** Whether a replay by idempotency key equals the first request. */
  replay: 'same' | 'different' | null;
  /** Whether errors have `details`. */
  isForPeople: boolean;
  describeError: (error: unknown) => HttpResponse;
  readonly bodies: RequestBodies;
  /** Header fields of any response, names and values alternating. */
  readonly headers: string[];
}

export type Context = ParameterizedContext<RequestState>;

/** The context for routes without path parameters and query. */
export type BareContext = Pick<Context, 'req' | 'res' | 'state'>;

/** Handles a request. Throws ApiError or FieldsError. */
export type Handler<R extends HttpResponse = HttpResponse, C extends BareContext = Context> = (
  context: C,
) => Promise<R> | R;

/** Handles an operation with described answers only. */
export type OperationHandler<Id extends OperationId> = Handler<ResponseTo<Id>>;

/** A described response; a Buffer has the bytes. */
export type ResponseTo<Id extends OperationId> = Sent<ResponseOf<Id>>;
type Sent<Response> = Response extends { readonly status: number; readonly body: infer Body }
  ? Omit<HttpResponse, 'status' | 'body'> & { readonly status: Response['status']; readonly body: Body | Buffer }
  : Response extends { readonly status: number }
    ? Omit<HttpResponse, 'status' | 'body'> & { readonly status: Response['status']; readonly body?: never }
    : never;

export type Routes = { readonly [Id in OperationId]?: OperationHandler<Id> };

/** Returns the client's id, unless malformed or like a misplaced secret. */
export function requestIdOf(request: IncomingMessage | undefined): string {
  const given = request?.headers['x-request-id'];
  const isGood = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && !isLikeSecret(given);
  return isGood ? given : randomUUID();
}

export function newRequestState(
  request: IncomingMessage,
  limits: Pick<RequestState, 'inFlight' | 'bodies'>,
): RequestState {
  const requestId = requestIdOf(request);
  const state: RequestState = {
    requestId,
    startedAtMs: performance.now(),
    route: null,
    asksProof: false,
    keyId: null,
    userId: null,
    byCookie: false,
    refused: null,
    replay: null,
    isForPeople: false,
    describeError: (error) => errorResponse(error, state.isForPeople),
    ...limits,
    isInFlight: false,
    bodyOwner: null,
    body: null,
    headers: ['X-Request-Id', requestId, ...strictTransport(request)],
  };
  return state;
}

/** Returns a header field as UTF-8; Node reads Latin-1. */
export function headerText({ headers }: IncomingMessage, name: string): string | undefined {
  const given = headers[name];
  if (typeof given !== 'string') return undefined;
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : given;
}
