import type { Config } from '../config/config.ts';
import type { ServerStatus } from '../health/server-status.ts';
import { ALIVE_WITHIN_MS } from '../http/routes/service.ts';
import { type Clock, within } from '../process/clock.ts';
import type { Route, Sent } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import type { ServingStore } from '../store/serving-store.ts';
import type { SocketOptions } from '../store/transports/socket-server.ts';
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
