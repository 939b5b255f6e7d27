import type { Config } from '../config/config.ts';
import type { UntrustedProxy } from '../http/client-address.ts';
import type { OidcProvider } from '../oidc/provider.ts';
import { oidcFindings } from '../oidc/trouble.ts';
import { type SystemClock, systemAfter } from '../process/clock.ts';
import type { Route } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import type { ServingStore } from '../store/client.ts';
import type { Upkeep } from '../store/upkeep.ts';
import type { Backups } from './backups/backups.ts';
import type { Certificates } from './certificates.ts';
import type { Delivery } from './delivery.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { Feed, type FeedDeps } from './feed/feed.ts';
import { ServerFindings } from './findings.ts';
import { liveRoutes } from './operators.ts';
import { reportedSettings, StatusReporter } from './status.ts';

interface Observed {
  readonly config: Config;
  readonly version: string;
  readonly clock: SystemClock;
  readonly store: ServingStore;
  readonly troubles: ReadonlyMap<Upkeep, string>;
  readonly delivery: Delivery;
  readonly backups: Backups | null;
  readonly certificates: Certificates | null;
  readonly provider: OidcProvider | null;
  readonly untrustedProxy: UntrustedProxy;
}

/** Parts that watch without changing anything. */
export interface Observers {
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
  /** The delivery threads and their memory. */
  readonly sending: Pick<FeedDeps, 'pauses' | 'batchesInFlight' | 'connections' | 'linksBytes'> & {
    readonly deliveryThreads: () => number;
  };
  readonly watch: DeliveryWatch;
  readonly findings: ServerFindings;
  readonly feed: Feed;
  readonly status: StatusReporter;
}

export function observe(observed: Observed): Observers {
  const { config, version, clock, store, troubles, delivery, backups, certificates, provider, untrustedProxy } =
    observed;
  const { relay, links } = delivery;
  const linksLimitBytes = config.limits.linksMemoryBytes;
  const routes = () => liveRoutes(relay, clock);
  const sending = {
    pauses: () => relay.pauses(),
    batchesInFlight: () => delivery.batchesInFlight(),
    deliveryThreads: () => delivery.threads(),
    connections: delivery.connections,
    linksBytes: () => links.bytes,
  };
  const watch = new DeliveryWatch({ store, clock, after: systemAfter, routes });
  const findings = new ServerFindings({
    store,
    certificate: () => certificates?.findings() ?? [],
    signIn: () => oidcFindings(provider),
    proxy: () => untrustedProxy.findings(),
    clock,
    routes,
    stillMs: () => watch.stillMs(),
    troubles: () => troubles,
    linksBytes: sending.linksBytes,
    linksLimitBytes,
    backups: (last) => backups?.findings(last) ?? [],
  });
  const feed = new Feed({ store, clock, ...sending });
  const status = new StatusReporter({
    clock,
    version,
    linksLimitBytes,
    routes,
    refusal: () => findings.lastRefusal(),
    nextBackupMs: () => backups?.nextAtMs() ?? null,
    settings: reportedSettings(config, clock),
    ...sending,
  });
  delivery.onSent((claim, answers) => {
    feed.sent(claim, answers);
    status.sent(claim.route, answers);
    watch.sent(claim.route, answers);
  });
  return { routes, sending, watch, findings, feed, status };
}
