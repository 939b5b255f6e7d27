import type { Batch, Route, Sent } from '../push.ts';

/**
 * A client of one route.
 * - `send` tries each target once and returns a `Sent` for each, in any order. `onEarly` gets known ones first. It
 *   never throws or hangs: after the deadline a push is `deferred` at pace `fault`. It may have arrived, but its
 *   collapse id or tag makes a copy replace it.
 * - Revoked pushes are not sent; this is checked right before writing.
 * - The queue retries, not the client. Exception: after a refused signed token, the push is sent once more with another
 *   token.
 * - Requests in flight are bounded inside.
 * - `close` drops connections, after all sends have ended.
 */
export interface PushClient {
  readonly route: Route;
  send(batch: Batch, onEarly?: OnEarly, onError?: OnError): Promise<readonly Sent[]>;
  /** Open connections to the provider, with TLS. */
  connections(): number;
  close(): Promise<void>;
}

export type OnEarly = (answers: readonly Sent[]) => void;
/** Called with an exception (a bug), once a batch. */
export type OnError = (error: unknown) => void;

export interface SendLimits {
  readonly deadlineMs: number;
  readonly inFlight: number;
}

/** Answers are a line of JSON. Longer ones are cut: a fault on the way. */
export const MAX_ANSWER_BYTES = 64 * 1024;
