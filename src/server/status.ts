import type { Clock } from '../clock.ts';
import type { Route, Sent } from '../push.ts';
import type { LiveRoute, RoutePause } from '../store/calls.ts';
import { toTimestamp, toTimestampOrNull } from '../timestamp.ts';

/** What only the running server can tell of itself: a JSON value. */
export interface ServerStatus {
  readonly version: string;
  readonly since: string;
  /** Without the path `/api`. */
  readonly url: string;
  readonly routes: readonly {
    readonly route: Route;
    readonly pause: RoutePause | null;
    readonly connections: number;
    /** Since this start; null: none. */
    readonly last_accepted_at: string | null;
  }[];
  readonly batches_in_flight: number;
  /** What keeps it from storing, in words; null: nothing. */
  readonly displaced: string | null;
  /** Memory that the links of queued events take, and may. */
  readonly links: { readonly bytes: number; readonly limit_bytes: number };
}

export interface StatusDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly linksLimitBytes: number;
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
  readonly connections: (route: Route) => number;
  readonly batchesInFlight: () => number;
  readonly linksBytes: () => number;
}

/**
 * Keeps what is asked for by `pushctl status` and nobody else remembers: since when it runs, and when pushes were
 * accepted.
 */
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

  /** What the other servers and their operators may know of it at any time. */
  health(): object {
    const { routes, batchesInFlight, linksBytes } = this.#deps;
    const paused = [...routes()].flatMap(([route, { pause }]) => (pause === null ? [] : route));
    return { paused, batches_in_flight: batchesInFlight(), links_bytes: linksBytes() };
  }

  now(url: string, displaced: string | null): ServerStatus {
    const { version, routes, connections, batchesInFlight, linksBytes, linksLimitBytes } = this.#deps;
    return {
      version,
      since: toTimestamp(this.#sinceMs),
      url,
      routes: [...routes()].map(([route, { pause }]) => ({
        route,
        pause,
        connections: connections(route),
        last_accepted_at: toTimestampOrNull(this.#acceptedMs.get(route) ?? null),
      })),
      batches_in_flight: batchesInFlight(),
      displaced,
      links: { bytes: linksBytes(), limit_bytes: linksLimitBytes },
    };
  }
}
