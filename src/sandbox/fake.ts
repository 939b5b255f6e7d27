import { randomInt } from 'node:crypto';
import type { WebPushRoute } from '../contract/push-services.ts';
import type { Environment, Route, TokenKind } from '../push.ts';
import type { Override } from './answers.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Listener, OpenListener } from './listener.ts';
import type { EndpointName } from './names.ts';

/** A provider folder's exports. `K`: its console's credentials. */
export interface FakeProvider<K, R> {
  /** In the order of their ports. */
  readonly endpoints: readonly EndpointName[];
  makeKeys(wanted: { readonly topic?: string | undefined }): Promise<K>;
  /** Reads the keys in `RunningFake.files`; null: missing. `read` returns null for missing files. */
  readKeys(read: (name: string) => Promise<string | null>): Promise<K | null>;
  /** The wanted device's route. */
  homeOf(wanted: TokenOptions): Route;
  /** Makes a token of this provider's form with the header; `unique`: 128 distinguishing bytes. */
  makeToken(header: Buffer, unique: Buffer, wanted: TokenOptions): string;
  start(keys: K, options: FakeOptions, context: SandboxContext): Promise<R>;
}

export interface SandboxContext {
  readonly override: Override;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly wallMs: () => number;
  /** Opens an endpoint's listener, closed with the sandbox. */
  listen(endpoint: EndpointName, serve: Parameters<OpenListener>[0]): Promise<Listener>;
  readonly tls: { readonly cert: string; readonly key: string };
  /** Accepts, instead of rejects, well-formed tokens that no sandbox issued. */
  readonly acceptUnknownTokens: boolean;
}

/** A token's options for one platform only. */
export interface TokenOptions {
  /** iOS only; default `production`. */
  readonly environment?: Environment;
  /** iOS only: another app of the team; default: the first. */
  readonly app?: string;
  /** Android only; default `token`. */
  readonly tokenKind?: TokenKind;
  /** Web only: the push service; default Mozilla's. */
  readonly service?: WebPushRoute;
  /** Web only: the one accepted VAPID key, in base64url. Default: any. */
  readonly vapidKey?: string;
}

export interface FakeOptions {
  /** Streams per APNs connection after the first valid token. */
  readonly maxStreams: number;
  readonly accessTokenLifetimeS: number;
  /** Apps beside the first, for APNs. */
  readonly topics: readonly string[];
}

/** `T`: what the sandbox shows and offers of it. `S`: the settings that point pushctl at it. */
export interface RunningFake<T, S> {
  readonly info: T;
  /** Files for pushctl and later sandboxes, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** `place`: where such a file lies. */
  settings(place: (name: string) => string, caFile: string): S;
}

/** Returns ten characters, like Apple's key and team IDs. */
export function randomIdentifier(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
