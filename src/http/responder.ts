import type { IncomingMessage } from 'node:http';
import type { Clock } from '../process/clock.ts';
import { clearCookie } from './auth/cookies.ts';
import type { ClientAddresses } from './client-address.ts';
import { invalidRequest, isSignedOut } from './errors.ts';
import { type FailureLogDeps, failureLog, RefusalLog } from './failure-log.ts';
import type { BareContext } from './request-state.ts';
import { type HttpResponse, send } from './response.ts';

/** Answers with the result or error of `act`. Never rejects. */
export type Respond = (context: BareContext, act: () => Promise<HttpResponse> | HttpResponse) => Promise<void>;

/** Parts of a response for metrics. `route`: its pattern; null: none. */
export interface ResponseSummary {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

/** Asked all day by balancers and orchestrators. */
const QUIET: readonly (string | null)[] = ['/healthz', '/readyz'];

interface ResponderOptions extends FailureLogDeps {
  readonly config: { readonly log: { readonly requests: boolean } };
  readonly clients: Pick<ClientAddresses, 'addressOf'>;
  readonly clock: Clock;
  readonly onAnswered?: (summary: ResponseSummary) => void;
}

/** Surrounds requests: writes the answer or error, counts it, and logs one line. */
export function responder({ store, config, clients, clock, log, onAnswered }: ResponderOptions): Respond {
  const refusals = new RefusalLog(log, clock);
  const logFailure = failureLog({ store, log });
  return async ({ req, res, state }, act) => {
    let response: HttpResponse;
    try {
      requireHost(req);
      response = await act();
    } catch (error) {
      logFailure(state.requestId, error);
      response = state.describeError(error);
      if (state.byCookie && isSignedOut(error)) clearCookie(state);
    } finally {
      state.inFlight.leave(state);
      state.bodies.answered(req, state);
    }
    // A closed connection destroys the request before the response.
    const aborted = res.destroyed || (req.destroyed && !req.complete);
    try {
      send(req, res, response, state.headers);
    } catch (error) {
      logFailure(state.requestId, error);
      res.destroy();
    }
    const durationMs = performance.now() - state.startedAtMs;
    const { method = '' } = req;
    onAnswered?.({ method, route: state.route, status: response.status, durationMs });
    const { status } = response;
    if (state.refused !== null && status >= 400) refusals.log(state.refused, clients.addressOf(req));
    if (!config.log.requests || (QUIET.includes(state.route) && status < 400)) return;
    log.info({
      requestId: state.requestId,
      method,
      route: state.route,
      key: state.keyId ?? undefined,
      user: state.userId ?? undefined,
      status,
      replay: state.replay ?? undefined,
      durationMs: Math.round(durationMs * 10) / 10,
      aborted: aborted || undefined,
    });
  };
}

/** Rejects a missing Host in JSON (unlike Node), and a second one (accepted by Node). RFC 9112, section 3.2. */
function requireHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw invalidRequest('no_host');
  if (hostLinesIn(rawHeaders) > 1) throw invalidRequest('several_hosts');
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
