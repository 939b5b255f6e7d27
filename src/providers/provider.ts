import type { Clock } from '../process/clock.ts';
import type { Setting } from '../process/severities.ts';
import type { Outcome, Route, VapidKeys } from '../push.ts';
import type { PushClient, SendLimits } from './client.ts';
import type { OutcomeTable } from './outcomes/entry.ts';
import type { Tokens } from './signing/tokens.ts';

/**
 * The exports of each provider's folder, one file for each part. `C`: its table of the configuration. `S`: the settings
 * of a delivery thread, credentials included.
 */
export interface Provider<C, S> {
  readonly outcomes: OutcomeTable;
  readonly credentials: Credentials<C, S>;
  readonly setup: Setup<C>;
  loadProbe(): Promise<Probe<S>>;
  /** Loads the client with the vendor's library, some 10 MB in each thread: only where the provider is configured. */
  loadClient(): Promise<CreateClient<S>>;
  /** How many pushes a minute the operator allows; null: as many as go. */
  perMinute(config: C): number | null;
}

/** Opens a client of a route of this provider. `limits`: what differs from the provider's own. */
export type CreateClient<S> = (
  route: Route,
  settings: S,
  clock: Clock,
  tokens: Tokens,
  limits?: Partial<SendLimits>,
) => PushClient;

/** The files that the configuration names for a provider, and whether they are of use. */
export interface Credentials<C, S> {
  /** Doctor's message once the credentials could be read. */
  readonly whenComplete: string;
  files(config: C): readonly NamedFile[];
  /** Throws `Unusable`, with no word of a file's content. */
  read(config: C, read: ReadFile, installation: Installation): S;
}

/** Further needs of a provider outside of its table of the configuration. */
export interface Installation {
  /** The address under which clients reach the service, ends with `/api`. */
  readonly baseUrl: string;
  /** null: only who sends has it. */
  readonly vapid: VapidKeys | null;
}

/** A file by the setting that names it. `isSecret`: only its owner should read it. `file` null: not set. */
export interface NamedFile {
  readonly setting: Setting;
  readonly file: string | null;
  readonly isSecret: boolean;
}

/** The contents of the file that a setting names. Throws `Unusable`. */
export type ReadFile = (path: string, setting: string) => string;

/** The questions of `pushctl init`. */
export interface Setup<C> {
  /** The setting that switches the provider on. `without`: what leaving it out means; the others are not asked then. */
  readonly required: SetupQuestion & { readonly without: string };
  readonly others: readonly (SetupQuestion & {
    /** The answer that the answer before gives. */
    readonly fromRequired?: (required: string) => string | undefined;
  })[];
  /** If the required setting is a key file: a configuration with which `credentials.read` checks that file alone. */
  readonly trial?: (keyFile: string) => C;
}

export interface SetupQuestion {
  /** The path of the setting that the answer is for; the option's name follows from it. */
  readonly setting: string;
  readonly text: string;
  /** The option's value and help, as in `--apns-key-file <file>`. */
  readonly option: readonly [value: string, help: string];
}

/** How doctor finds out whether the provider would take a push, without sending one. */
export interface Probe<S> {
  /** Returns the address of a route's pushes, its setting, and the expected receiver. */
  endpoint(route: Route, settings: S): { readonly url: string; readonly setting: string; readonly vendor: Vendor };
  /** null: there is no server to ask. */
  ask(route: Route, settings: S, clock: Clock, tokens: Tokens): Promise<Probed | null>;
  /** The clock of the server at `url` in Unix ms, to the second; null: it does not say. Rejects where none answers. */
  time(settings: S): { readonly url: string; readonly vendor: Vendor; readonly answer: Promise<number | null> };
}

/** `domain`: its hosts end in it, and no others do. */
export interface Vendor {
  readonly name: string;
  readonly domain: string;
}

export type Probed =
  /** The end of a sentence about the provider. */
  | { readonly works: string }
  /** It answered as no real one would. */
  | { readonly warning: string; readonly advice: string }
  /** `to`: the app, where there are several. */
  | { readonly refused: Exclude<Outcome, { readonly kind: 'accepted' }>; readonly to?: string };
