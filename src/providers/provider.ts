import type { Batch, ProviderName, Route, Sent } from '../push.ts';
import type { OnEarly } from './sending.ts';

/**
 * The contract every provider meets.
 *
 * - `send` tries each target of the batch once and answers one `Sent` a target, in any order; `onEarly` is told of those that
 *   are answered while others take longer. It never throws and never
 *   hangs: every request has a deadline, after which its outcome is `deferred` with pace `fault` (uncertain: the push may
 *   have arrived, and its collapse id or tag makes a second copy replace the first).
 * - Right before a request is written it looks whether its push was recalled meanwhile, and then does not send it.
 * - It never retries on its own: retries belong to the queue.
 * - The number of requests in flight is bounded inside.
 * - `close` drops the connections; the sends in flight have ended before it is called.
 */
export interface Provider {
  readonly route: Route;
  send(batch: Batch, onEarly?: OnEarly): Promise<readonly Sent[]>;
  /** How many connections to the provider are open now: TLS and all. */
  connections(): number;
  close(): Promise<void>;
}

/** An answer is a line of JSON. One that goes on beyond this is cut, and counts as a fault on the way. */
export const MAX_ANSWER_BYTES = 64 * 1024;
export const TOO_LONG = 'the answer is too long';

/** Credentials are contents, not paths: whoever reads the files says which could not be read. */
export interface ApnsSettings {
  /** PEM of the .p8 key. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  /** The app's bundle ID. */
  readonly topic: string;
  readonly endpointProduction: string;
  readonly endpointSandbox: string;
  /** PEM of a CA to trust instead of the system's. */
  readonly ca?: string;
}

export interface FcmSettings {
  readonly serviceAccount: {
    readonly project_id: string;
    readonly client_email: string;
    readonly private_key: string;
  };
  readonly style: 'data' | 'notification';
  readonly endpoint: string;
  readonly tokenEndpoint: string;
  readonly ca?: string;
}

/** What a delivery thread is started with. A provider that is absent is off. */
export interface ProviderSettings {
  readonly apns?: ApnsSettings;
  readonly fcm?: FcmSettings;
}

/** Why a configured provider is off, for the operator. Events for its devices wait. */
export interface ProviderProblem {
  readonly provider: ProviderName;
  readonly message: string;
}
