import type { Batch, Route, Sent } from '../push.ts';

/**
 * The contract every provider's client meets. One serves one route.
 * - `send` tries each target of the batch once and answers one `Sent` a target, in any order; `onEarly` is called with
 *   those that are answered while others take longer. It never throws and never hangs: every request has a deadline,
 *   after which its outcome is `deferred` with pace `fault` (uncertain: the push may have arrived, and its collapse id
 *   or tag makes a second copy replace the first).
 * - Right before a request is written it looks whether its push was revoked meanwhile, and then does not send it.
 * - It never retries on its own: retries belong to the queue. One exception: if the provider refuses the signed token,
 *   and there is another one by then, the push is sent once more with that.
 * - The number of requests in flight is bounded inside.
 * - `close` drops the connections; the sends in flight have ended before it is called.
 */
export interface PushClient {
  readonly route: Route;
  send(batch: Batch, onEarly?: OnEarly, onError?: OnError): Promise<readonly Sent[]>;
  /** How many connections to the provider are open now: TLS and all. */
  connections(): number;
  close(): Promise<void>;
}

export type OnEarly = (answers: readonly Sent[]) => void;
/** Called with an exception, which is a bug: once a batch, however many of its pushes met it. */
export type OnError = (error: unknown) => void;

export interface SendLimits {
  /** How long one push may take. */
  readonly deadlineMs: number;
  /** How many may be on their way at once. */
  readonly inFlight: number;
}

/** An answer is a line of JSON. One that goes on beyond this is cut, and counts as a fault on the way. */
export const MAX_ANSWER_BYTES = 64 * 1024;
