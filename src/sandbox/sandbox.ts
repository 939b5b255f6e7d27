import { createHash, randomBytes } from 'node:crypto';
import { type Platform, PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../push.ts';
import { encodeHeader, type Override } from './answers.ts';
import {
  type AllOf,
  makeServerCertificate,
  restoreCredentials,
  type SandboxCredentials,
  type SandboxSettings,
  writeCredentials,
} from './credentials.ts';
import type { FakeOptions, SandboxContext, TokenOptions } from './fake.ts';
import { type Fault, Faults } from './faults.ts';
import { type Journal, openJournal } from './journal.ts';
import { type Listener, type OpenListener, openListener } from './listener.ts';
import type { EndpointName } from './names.ts';
import { FAKES, type RunningOf } from './table.ts';

export interface SandboxOptions {
  /** First port of `ENDPOINTS`; others follow. 0 (default): any free ones. */
  readonly firstPort?: number;
  /** The app's bundle ID, unless credentials are restored. */
  readonly topic?: string;
  /** Bundle IDs of the team's further apps. */
  readonly topics?: readonly string[];
  /** A folder of `writeCredentials`, whose keys are reused, if any. */
  readonly restoreFrom?: string;
  /** Accepts well-formed tokens in either environment. */
  readonly acceptUnknownTokens?: boolean;
  /** `count`: remember only the number of pushes. */
  readonly record?: 'all' | 'count';
  /** The number of remembered pushes; default 10,000. */
  readonly keep?: number;
  /** Streams per APNs connection after the first valid token; default 1000. */
  readonly maxStreams?: number;
  readonly accessTokenLifetimeS?: number;
  /** Asked first for an answer. */
  readonly override?: Override;
  /** Replaces listeners, for tests that break connections. */
  readonly openListener?: OpenListener;
  /** The time for tokens' expiry, for tests. */
  readonly wallMs?: () => number;
}

/** Every endpoint in port order. */
const ENDPOINTS: readonly EndpointName[] = PROVIDER_NAMES.flatMap((name) => FAKES[name].endpoints);

/** Returns the ports of a sandbox with this `firstPort`. */
export function portsFrom(firstPort: number): readonly number[] {
  return ENDPOINTS.map((_, place) => firstPort + place);
}

type Running = { readonly [P in ProviderName]: RunningOf<P> };
/** All fakes' addresses, keys and controls. */
type SandboxInfo = AllOf<{ [P in ProviderName]: Running[P]['info'] }>;

/** Fake providers on loopback, as strict as the vendors' documents. */
export interface Sandbox
  extends SandboxInfo,
    Pick<Journal, 'pushes' | 'refused' | 'counts' | 'onPush' | 'waitForPush'> {
  readonly caPem: string;
  /** Makes a token for any sandbox. */
  token(request: TokenRequest): string;
  setFaults(faults: readonly Fault[]): void;
  writeCredentials(dir: string): Promise<SandboxSettings>;
  close(): Promise<void>;
}

/** Rejects with the first error, after closing all listeners. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const credentials = await restoreCredentials(options.restoreFrom ?? null, Date.now(), options.topic);
  const { authority } = credentials;
  const journal = openJournal({ record: options.record ?? 'all', keep: options.keep ?? 10_000 });
  const faults = new Faults();
  const opening: Promise<Listener>[] = [];
  const { firstPort = 0, openListener: open = openListener } = options;
  const context: SandboxContext = {
    override: options.override ?? (() => null),
    faults,
    journal,
    wallMs: options.wallMs ?? Date.now,
    listen(endpoint, serve) {
      const port = firstPort === 0 ? 0 : portsFrom(firstPort)[ENDPOINTS.indexOf(endpoint)];
      const listener = open(serve, port ?? 0, endpoint);
      opening.push(listener);
      return listener;
    },
    tls: await makeServerCertificate(authority, Date.now()),
    acceptUnknownTokens: options.acceptUnknownTokens ?? false,
  };
  const running = await startFakes(credentials, options, context).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const info: SandboxInfo = Object.assign({}, ...PROVIDER_NAMES.map((name) => running[name].info));

  return {
    ...info,
    pushes: journal.pushes,
    refused: journal.refused,
    counts: journal.counts,
    onPush: journal.onPush,
    waitForPush: journal.waitForPush,
    caPem: authority.certPem,
    token: issueToken,
    setFaults: (given) => faults.set(given),
    writeCredentials: (folder) => writeCredentials(folder, authority, running),
    close: closeAll,
  };

  async function closeAll(): Promise<void> {
    for (const opened of await Promise.allSettled(opening)) {
      if (opened.status === 'fulfilled') await opened.value.close();
    }
  }
}

async function startFakes(
  credentials: SandboxCredentials,
  { maxStreams = 1000, accessTokenLifetimeS = 3600, topics = [] }: SandboxOptions,
  context: SandboxContext,
): Promise<Running> {
  const options: FakeOptions = { maxStreams, accessTokenLifetimeS, topics };
  const starting = PROVIDER_NAMES.map(async (name) => {
    return [name, await FAKES[name].start(credentials, options, context)] as const;
  });
  // After a failure, nothing more opens once all have ended.
  await Promise.allSettled(starting);
  return Object.fromEntries(await Promise.all(starting)) as Running;
}

/**
 * A token's form and meaning: see answers.ts and the providers' token.ts. A `label` gives a stable token; without,
 * each is new.
 */
export interface TokenRequest extends TokenOptions {
  readonly platform: Platform;
  /** A number for overrides; default 0. */
  readonly behaviour?: number;
  /** 0 to 65,535; the behaviour gives it meaning. */
  readonly parameter?: number;
  readonly label?: string;
}

export function issueToken({ platform, behaviour = 0, parameter = 0, label, ...wanted }: TokenRequest): string {
  const fake = FAKES[providerFor(platform)];
  const header = encodeHeader({ home: fake.homeOf(wanted), behaviour, parameter });
  return fake.makeToken(header, uniqueBytes(label, 128), wanted);
}

function providerFor(platform: Platform): ProviderName {
  const name = PROVIDER_NAMES.find((provider) => PROVIDERS[provider].platform === platform);
  if (name === undefined) throw new Error('each platform has its provider');
  return name;
}

function uniqueBytes(label: string | undefined, length: number): Buffer {
  if (label === undefined) return randomBytes(length);
  return createHash('shake256', { outputLength: length }).update(label).digest();
}
