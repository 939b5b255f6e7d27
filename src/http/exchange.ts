import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { looksSecret } from '../contract/secrets.ts';
import { type Answer, send } from './answer.ts';
import { ApiError, answerOfError } from './errors.ts';
import type { Load } from './load.ts';
import { failureLog } from './log.ts';

/** What is known of a request while it is being answered. */
export interface Exchange {
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
  readonly load: Load;
  isInFlight: boolean;
  /** Header fields that the answer carries, whatever it will be: names and values in turns. */
  readonly headers: string[];
}

export type Context = ParameterizedContext<Exchange>;

/** As much of a context as a route needs that reads neither path nor query: Koa's is one, too. */
export interface BareContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: Exchange;
}

/** A route: from a request to its answer. It throws ApiError or FieldsError to answer with an error. */
export type Handler<C extends BareContext = Context> = (context: C) => Promise<Answer> | Answer;

/** Answers a request with what `act` gives or throws. Never rejects. */
export type Answering = (context: BareContext, act: () => Promise<Answer> | Answer) => Promise<void>;

/** What is counted of an answer. `route`: its pattern; null: none fits. */
export interface Answered {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

interface AnsweringOptions {
  readonly log: Logger;
  readonly onAnswered?: (answered: Answered) => void;
}

/** Surrounds every request: turns what is thrown into an answer, writes the answer, counts it and logs one line. */
export function answering({ log, onAnswered }: AnsweringOptions): Answering {
  const logFailure = failureLog(log);
  return async ({ req, res, state }, act) => {
    let answer: Answer;
    try {
      requireHost(req);
      answer = await act();
    } catch (error) {
      logFailure(state.requestId, error);
      answer = answerOfError(error);
    } finally {
      state.load.leave(state);
    }
    // The end of its connection reaches the request before the answer.
    const aborted = res.destroyed || (req.destroyed && !req.complete);
    try {
      send(req, res, answer, state.headers);
    } catch (error) {
      logFailure(state.requestId, error);
      res.destroy();
    }
    const durationMs = performance.now() - state.startedAtMs;
    const { method = '' } = req;
    onAnswered?.({ method, route: state.route, status: answer.status, durationMs });
    log.info({
      requestId: state.requestId,
      method,
      route: state.route,
      key: state.keyId ?? undefined,
      user: state.userId ?? undefined,
      status: answer.status,
      replay: state.replay ?? undefined,
      durationMs: Math.round(durationMs * 10) / 10,
      aborted: aborted || undefined,
    });
  };
}

/** The id of a request: the client's own where it is a harmless one, and no secret that got into the wrong field. */
export function requestIdOf(request: IncomingMessage | undefined): string {
  const given = request?.headers['x-request-id'];
  const isGood = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && !looksSecret(given);
  return isGood ? given : randomUUID();
}

/** What is known of a request when it arrives: its id. */
export function begin(request: IncomingMessage, load: Load): Exchange {
  const requestId = requestIdOf(request);
  return {
    requestId,
    startedAtMs: performance.now(),
    route: null,
    keyId: null,
    userId: null,
    replay: null,
    load,
    isInFlight: false,
    headers: ['X-Request-Id', requestId],
  };
}

/** Node would refuse the first itself, but not in JSON, and lets the second pass. RFC 9112, section 3.2. */
function requireHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('invalid_request', { message: 'The Host header is missing.' });
  }
  if (hostLinesIn(rawHeaders) > 1) {
    throw new ApiError('invalid_request', { message: 'There is more than one Host header.' });
  }
}

/** Names and values in turns. */
function hostLinesIn(rawHeaders: readonly string[]): number {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') lines += 1;
  }
  return lines;
}
