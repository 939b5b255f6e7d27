import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { type Answer, send } from './answer.ts';
import { ApiError, answerOfError } from './errors.ts';
import { logFailure } from './log.ts';

/** What is known of a request while it is being answered. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** The pattern of the route, never the address itself: that may hold anything. */
  route: string | null;
  keyId: string | null;
  /** Internal id of who is signed in. */
  userId: number | null;
  /** Header fields that the answer carries, whatever it will be. */
  readonly headers: Record<string, string>;
}

export type Context = ParameterizedContext<Exchange>;

/** A route: from a request to its answer. It throws ApiError or FieldsError to answer with an error. */
export type Handler = (context: Context) => Promise<Answer> | Answer;

/** What is counted of an answer. `route`: its pattern; null: none fits. */
export interface Answered {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

interface AnsweringOptions {
  readonly log: Logger;
  readonly maxInFlight: number;
  readonly onAnswered?: (answered: Answered) => void;
}

/**
 * Surrounds every request: gives it its id, turns what is thrown into an answer, writes the answer that the middleware
 * below returned, and logs one line. At most `maxInFlight` requests are taken at a time.
 */
export function answering({ log, maxInFlight, onAnswered }: AnsweringOptions): Middleware<Exchange> {
  let inFlight = 0;
  return async (context, next) => {
    context.respond = false;
    const exchange = begin(context.req);
    context.state = exchange;
    let answer: Answer;
    inFlight += 1;
    try {
      if (inFlight > maxInFlight) throw new ApiError('overloaded', { retryAfterMs: 1_000 });
      requireHost(context.req);
      answer = await next();
    } catch (error) {
      logFailure(log, exchange.requestId, error);
      answer = answerOfError(error);
    } finally {
      inFlight -= 1;
    }
    const aborted = context.res.destroyed;
    send(context.req, context.res, answer, exchange.headers);
    const durationMs = performance.now() - exchange.startedAtMs;
    const { method = '' } = context.req;
    onAnswered?.({ method, route: exchange.route, status: answer.status, durationMs });
    log.info({
      requestId: exchange.requestId,
      method,
      route: exchange.route,
      key: exchange.keyId ?? undefined,
      user: exchange.userId ?? undefined,
      status: answer.status,
      durationMs: Math.round(durationMs * 10) / 10,
      aborted: aborted || undefined,
    });
  };
}

/** The id of a request: the client's own where it is a harmless one. */
export function requestIdOf(request: IncomingMessage | undefined): string {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}

function begin(request: IncomingMessage): Exchange {
  const requestId = requestIdOf(request);
  return {
    requestId,
    startedAtMs: performance.now(),
    route: null,
    keyId: null,
    userId: null,
    headers: { 'X-Request-Id': requestId },
  };
}

/** Node would refuse such a request itself, but not in JSON. RFC 9112, section 3.2. */
function requireHost(request: IncomingMessage): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new ApiError('invalid_request', { message: 'The Host header is missing.' });
  }
}
