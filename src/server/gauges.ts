import { statSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { Pause } from '../delivery/circuit-breaker.ts';
import type { Lane, Route } from '../push.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';
import type { ServerFindings } from './findings.ts';

/** The sources of the gauges, read at each scrape. */
export interface MetricSources {
  readonly store: Pick<StoreClient, 'queueDepth' | 'queueAge' | 'listRoutes' | 'countAlerts'>;
  /** The file of SQLite; null: the database is elsewhere. */
  readonly databaseFile: string | null;
  /** How many servers share the database and live; null: it is this one's alone. */
  readonly livingNodes: () => number | null;
  readonly version: string;
  readonly pauses: () => readonly { readonly route: Route; readonly pause: Pause | null }[];
  readonly batchesInFlight: () => number;
  readonly connections: (route: Route) => number;
  readonly linksBytes: () => number;
  readonly openStreams: () => number;
  /** How long deliveries have stood still. */
  readonly stillMs: () => ReadonlyMap<Route, number>;
  readonly findings: Pick<ServerFindings, 'all' | 'stored'>;
  /** The size of the server's last own backup; null: there is none. */
  readonly lastBackupBytes: () => number | null;
  /** null: no TLS. */
  readonly certificateEndsAtMs: () => number | null;
}

/** Gauges of what stands now: read at each scrape, never kept up to date. */
export function addGauges(registry: Registry, gauged: MetricSources): void {
  const { store, pauses } = gauged;
  const add = (
    name: string,
    help: string,
    labelNames: readonly string[],
    read: (gauge: Gauge) => void | Promise<void>,
  ) =>
    new Gauge({
      name: `pushctl_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        // A gauge without labels keeps a 0.
        this.remove({});
        try {
          await read(this);
        } catch (error) {
          // While the store cannot be asked, only its gauges are left out: the others are needed most then.
          if (!(error instanceof StoreUnavailable)) throw error;
        }
      },
    });
  const lane = ({ route, lane }: { route: Route; lane: Lane }) => ({ route, lane });
  /** Queried once for all gauges that are collected together. */
  let counting: ReturnType<typeof store.queueDepth> | null = null;
  const depths = () => {
    counting ??= store.queueDepth({}).finally(() => {
      counting = null;
    });
    return counting;
  };

  add('queue_waiting', 'Pushes that wait to be sent for the first time, at most.', ['route', 'lane'], async (gauge) => {
    for (const depth of await depths()) gauge.set(lane(depth), depth.waiting);
  });
  add('queue_deferred', 'Pushes that wait for another try.', ['route', 'lane'], async (gauge) => {
    for (const depth of await depths()) gauge.set(lane(depth), depth.deferred);
  });
  add('queue_age_seconds', 'How long a push could have been sent, and was not.', ['route', 'lane'], async (gauge) => {
    for (const age of await store.queueAge({})) gauge.set(lane(age), age.ageMs / 1_000);
  });
  add(
    'deliveries_still_seconds',
    'How long pushes were due on an open route, and none went out.',
    ['route'],
    (gauge) => {
      for (const [route, ms] of gauged.stillMs()) gauge.set({ route }, ms / 1_000);
    },
  );
  add(
    'findings',
    'What status and doctor warn of, as far as the server knows it itself.',
    ['check', 'severity'],
    async (gauge) => {
      for (const { check, status } of await gauged.findings.all()) gauge.inc({ check, severity: status });
    },
  );
  add('route_paused', '1 while nothing but probes goes out on a route.', ['route'], (gauge) => {
    for (const { route, pause } of pauses()) gauge.set({ route }, pause === null ? 0 : 1);
  });
  add(
    'quarantined_devices',
    'Devices that are refused, dead or by a mistake of ours.',
    ['route', 'reason'],
    async (gauge) => {
      for (const { route, quarantined } of await store.listRoutes({})) {
        for (const { reason, devices } of quarantined) gauge.set({ route, reason }, devices);
      }
    },
  );
  add('open_alerts', 'Alerts that no one has acknowledged.', [], async (gauge) => {
    gauge.set((await store.countAlerts({})).open);
  });
  add('oldest_open_alert_seconds', 'How long the oldest of them has been open.', [], async (gauge) => {
    const { oldest_opened_at: oldest } = await store.countAlerts({});
    if (oldest !== null) gauge.set(Math.max(0, (Date.now() - Date.parse(oldest)) / 1_000));
  });
  add('provider_connections', 'Open connections to the provider.', ['route'], (gauge) => {
    for (const { route } of pauses()) gauge.set({ route }, gauged.connections(route));
  });
  add('batches_in_flight', 'Batches at the delivery threads.', [], (gauge) => gauge.set(gauged.batchesInFlight()));
  add('links_bytes', 'Memory that links and data of queued events take.', [], (gauge) =>
    gauge.set(gauged.linksBytes()),
  );
  add('open_streams', 'Streams by which open apps hear of changes.', [], (gauge) => gauge.set(gauged.openStreams()));
  add('certificate_expiry_timestamp_seconds', 'When the certificate ends that is served.', [], (gauge) => {
    const endsAtMs = gauged.certificateEndsAtMs();
    if (endsAtMs !== null) gauge.set(endsAtMs / 1_000);
  });
  add('last_backup_timestamp_seconds', 'When the last backup was made.', [], async (gauge) => {
    const last = (await gauged.findings.stored())?.lastBackup;
    if (last) gauge.set(Date.parse(last.at) / 1_000);
  });
  add('last_backup_bytes', 'Size of the newest backup in the folder of [backup].', [], (gauge) => {
    const bytes = gauged.lastBackupBytes();
    if (bytes !== null) gauge.set(bytes);
  });
  add('heartbeats', 'Heartbeats, by their state.', ['state'], async (gauge) => {
    const known = await gauged.findings.stored();
    for (const [state, count] of Object.entries(known?.heartbeats.counts ?? {})) gauge.set({ state }, count);
  });
  add('webhooks', 'Webhooks, by their state.', ['state'], async (gauge) => {
    const known = (await gauged.findings.stored())?.webhooks;
    if (known === undefined) return;
    gauge.set({ state: 'active' }, known.active);
    gauge.set({ state: 'disabled' }, known.disabled);
  });
  add('webhook_messages', 'Messages that webhooks have yet to take.', [], async (gauge) => {
    const known = (await gauged.findings.stored())?.webhooks;
    if (known !== undefined) gauge.set(known.waiting);
  });
  add('living_nodes', 'Servers that share the database, as this one knows.', [], (gauge) => {
    const count = gauged.livingNodes();
    if (count !== null) gauge.set(count);
  });
  add('database_bytes', 'Size of the database.', ['file'], (gauge) => {
    if (gauged.databaseFile === null) return;
    for (const [file, suffix] of [
      ['database', ''],
      ['wal', '-wal'],
    ] as const) {
      const stats = statSync(`${gauged.databaseFile}${suffix}`, { throwIfNoEntry: false });
      gauge.set({ file }, stats?.size ?? 0);
    }
  });
  add('build_info', '1, labelled with the version.', ['version'], (gauge) => gauge.set({ version: gauged.version }, 1));
}
