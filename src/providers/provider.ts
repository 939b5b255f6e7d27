import type { Clock } from '../process/clock.ts';
import type { Setting } from '../process/finding.ts';
import type { Batch, Outcome, Route, Sent, VapidKeys } from '../push.ts';
import type { OutcomeTable } from './outcomes/entry.ts';
import type { Tokens } from './signing/tokens.ts';

/** A provider's exports, one file a part. `C`: configuration table. `S`: a thread's settings with credentials. */
export interface Provider<C, S> {
  readonly outcomes: OutcomeTable;
  readonly credentials: Credentials<C, S>;
  readonly setup: Setup<C>;
  loadProbe(): Promise<Probe<S>>;
  /** Loads the client if configured: the vendor's library takes 10 MB a thread. */
  loadClient(): Promise<CreateClient<S>>;
  /** Limit of pushes a minute; null: none. */
  perMinute(config: C): number | null;
}

/** Opens a route's client. `limits`: overrides of the provider's. */
type CreateClient<S> = (
  route: Route,
  settings: S,
  clock: Clock,
  tokens: Tokens,
  limits?: Partial<SendLimits>,
) => PushClient;

/** A provider's configured files and whether they are usable. */
export interface Credentials<C, S> {
  /** Doctor's message once the credentials could be read. */
  readonly whenComplete: string;
  files(config: C): readonly NamedFile[];
  /** Throws `Unusable`, quoting nothing of the file. */
  read(config: C, read: ReadFile, installation: Installation): S;
}

/** A provider's needs outside of its table. */
export interface Installation {
  /** The clients' address, ending with `/api`. */
  readonly baseUrl: string;
  /** null: only who sends has it. */
  readonly vapid: VapidKeys | null;
}

/** A file and its setting. `isSecret`: only for the owner. `file` null: not set. */
export interface NamedFile {
  readonly setting: Setting;
  readonly file: string | null;
  readonly isSecret: boolean;
}

/** Returns a file's contents. Throws `Unusable`. */
export type ReadFile = (path: string, setting: string) => string;

export interface Setup<C> {
  /** The setting that enables the provider. `without`: the effect of omission, after which no others are asked. */
  readonly required: SetupQuestion & { readonly without: string };
  readonly others: readonly (SetupQuestion & {
    /** Returns the answer implied by the required one. */
    readonly fromRequired?: (required: string) => string | undefined;
  })[];
  /** A configuration for `credentials.read` to check only a required key file. */
  readonly trial?: (keyFile: string) => C;
}

export interface SetupQuestion {
  /** The setting's path, which determines the option's name. */
  readonly setting: string;
  readonly text: string;
  /** The option's value and help, as in `--apns-key-file <file>`. */
  readonly option: readonly [value: string, help: string];
}

/** Tests for doctor whether the provider would take a push, unsent. */
export interface Probe<S> {
  /** Returns a route's address, setting and expected receiver. */
  endpoint(route: Route, settings: S): { readonly url: string; readonly setting: string; readonly vendor: Vendor };
  /** null: there is no server to ask. */
  ask(route: Route, settings: S, clock: Clock, tokens: Tokens): Promise<Probed | null>;
  /** Returns `url`'s clock (Unix ms, to the second); null: not told. Rejects without an answer. */
  time(settings: S): { readonly url: string; readonly vendor: Vendor; readonly answer: Promise<number | null> };
}

/** `domain`: the end of all its hosts, and no others. */
export interface Vendor {
  readonly name: string;
  readonly domain: string;
}

export type Probed =
  /** A sentence's end about the provider. */
  | { readonly works: string }
  /** The answer was unlike the provider's. */
  | { readonly warning: string; readonly advice: string }
  /** `to`: the app, where there are several. */
  | { readonly refused: Exclude<Outcome, { readonly kind: 'accepted' }>; readonly to?: string };

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
  /** Pushes in flight, and those that wait for it, as a share of the most in flight. */
  fill(): number;
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
