import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { readablePath, readNamedFile } from '../config/named-file.ts';
import { durationOf } from '../config/units.ts';
import type { ServerStatus } from '../health/server-status.ts';
import { ALIVE_WITHIN_MS } from '../http/routes/service.ts';
import { type Clock, within } from '../process/clock.ts';
import { providerFiles } from '../providers/credentials.ts';
import type { Route, Sent } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import type { ServingStore } from '../store/client.ts';
import type { SocketOptions } from '../store/transports/socket-server.ts';
import { isJsonObject, snakeCase } from '../values/json.ts';
import { toTimestamp, toTimestampOrNull } from '../values/timestamp.ts';
import type { Feed } from './feed/feed.ts';
import type { ServerFindings } from './findings.ts';

interface StatusDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly linksLimitBytes: number;
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
  readonly connections: (route: Route) => number;
  readonly batchesInFlight: () => number;
  readonly linksBytes: () => number;
  /** Why no events are accepted; null: they are. */
  readonly refusal: () => string | null;
  /** Wall time; null: unknown, or never. */
  readonly nextBackupMs: () => number | null;
  /** Settings that servers should share. */
  readonly settings: () => Readonly<Record<string, string>>;
}

type Listening = Pick<ServerStatus, 'url' | 'socket' | 'redirects_from'>;

export class StatusReporter {
  readonly #deps: StatusDeps;
  readonly #sinceMs: number;
  readonly #acceptedMs = new Map<Route, number>();

  constructor(deps: StatusDeps) {
    this.#deps = deps;
    this.#sinceMs = deps.clock.wallMs();
  }

  sent(route: Route, answers: readonly Sent[]): void {
    if (answers.some(({ outcome }) => outcome.kind === 'accepted')) {
      this.#acceptedMs.set(route, this.#deps.clock.wallMs());
    }
  }

  health(): object {
    const { routes, batchesInFlight, linksBytes, refusal, settings } = this.#deps;
    const paused = [...routes()].flatMap(([route, { pause }]) => (pause === null ? [] : route));
    const sending = { paused, batches_in_flight: batchesInFlight(), links_bytes: linksBytes() };
    return { ...sending, refuses_events: refusal(), settings: settings() };
  }

  now(listening: Listening, rest: Pick<ServerStatus, 'findings' | 'stored' | 'alerts'>): ServerStatus {
    const { version, routes, connections, batchesInFlight, linksBytes, linksLimitBytes } = this.#deps;
    return {
      version,
      since: toTimestamp(this.#sinceMs),
      ...listening,
      routes: [...routes()].map(([route, { pause }]) => ({
        route,
        pause,
        connections: connections(route),
        last_accepted_at: toTimestampOrNull(this.#acceptedMs.get(route) ?? null),
      })),
      batches_in_flight: batchesInFlight(),
      ...rest,
      next_backup_at: toTimestampOrNull(this.#deps.nextBackupMs()),
      links: { bytes: linksBytes(), limit_bytes: linksLimitBytes },
    };
  }
}

interface Sources {
  /** The configuration of this start. */
  readonly configured: Config;
  readonly store: Pick<ServingStore, 'isAlive' | 'check' | 'countAlerts'>;
  readonly feed: Feed;
  readonly findings: ServerFindings;
  readonly status: StatusReporter;
  readonly listening: Listening;
}

/** Answers commands about the running server. */
export function socketStreams({
  configured,
  store,
  feed,
  findings,
  status,
  listening,
}: Sources): NonNullable<SocketOptions['streams']> {
  return {
    watch: feed.watch.bind(feed),
    async status(_, emit) {
      const alerts = await store.countAlerts({}).catch(() => null);
      emit(status.now(listening, { findings: await findings.all(), stored: await findings.stored(), alerts }));
      return () => {};
    },
    async alive(_, emit) {
      emit({ alive: await within(ALIVE_WITHIN_MS, store.isAlive(), false) });
      return () => {};
    },
    // Only for operators, who can read the database: addresses may contain passwords.
    async configuration(_, emit) {
      emit({ ...configured, handedOver: {} });
      return () => {};
    },
    async check(_, emit) {
      emit({ damage: await store.check() });
      return () => {};
    },
  };
}

/** Keys may be replaced while the server runs. */
const READ_EVERY_MS = 60_000;
const DIGEST_DIGITS = 12;

/** Returns what machines sharing a database compare: settings, and key files' digests, which reveal no key. */
export function reportedSettings(
  config: Config,
  clock: Pick<Clock, 'steadyMs'>,
): () => Readonly<Record<string, string>> {
  const settings = sharedSettings(config);
  let digests: Readonly<Record<string, string>> = {};
  let nextReadMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.steadyMs() >= nextReadMs) {
      nextReadMs = clock.steadyMs() + READ_EVERY_MS;
      digests = digestsOf(config);
    }
    return { ...settings, ...digests };
  };
}

function digestsOf(config: Config): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { setting, file, isSecret } of providerFiles(config)) {
    const digest = file === null || !isSecret ? null : digestOf(readablePath(config, file));
    if (digest !== null) digests[setting] = `sha256 ${digest}`;
  }
  return digests;
}

/** null: unreadable, which is reported elsewhere. */
function digestOf(file: string): string | null {
  try {
    return createHash('sha256').update(readNamedFile(file)).digest('hex').slice(0, DIGEST_DIGITS);
  } catch {
    return null;
  }
}

/** Tables that machines with a shared database must agree on. */
const TABLES = ['limits', 'retention', 'delivery', 'apns', 'fcm', 'webpush', 'web'] as const;

/** Settings that may differ by machine, as may file names. */
const OWN: readonly string[] = [
  'limits.bodies_memory',
  'limits.links_memory',
  'delivery.threads',
  'delivery.stop_timeout',
];
const NAMES_FILE = /_file$/;

/**
 * Returns settings that machines with a shared database must agree on. With another topic, a machine takes devices for
 * dead; without a provider, events miss devices.
 */
export function sharedSettings(config: Config): Readonly<Record<string, string>> {
  const shared: Record<string, string> = { 'senders.hosts': text(config.senders.hosts) };
  shared.base_url = config.baseUrl ?? 'not set';
  for (const table of TABLES) {
    const settings = config[table];
    shared[table] = settings === null ? 'off' : 'on';
    for (const [name, value] of Object.entries(settings ?? {})) {
      const path = `${table}.${snakeCase(name.replace(/(Ms|Bytes)$/, ''))}`;
      if (OWN.includes(path) || NAMES_FILE.test(path)) continue;
      shared[path] = name.endsWith('Ms') ? durationOf(Number(value)) : text(value);
    }
  }
  return shared;
}

/** Sorts unordered tables and lists. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.toSorted().join(', ');
  if (!isJsonObject(value)) return String(value);
  return text(Object.entries(value).map(([name, own]) => `${name} = ${own}`));
}
