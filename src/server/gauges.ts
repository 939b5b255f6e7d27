import { statSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { Pause } from '../delivery/circuit-breaker.ts';
import type { Lane, Route } from '../push.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';
import type { ServerFindings } from './findings.ts';

export interface MetricSources {
  readonly store: Pick<StoreClient, 'queueDepth' | 'queueAge' | 'listRoutes' | 'countAlerts'>;
  /** SQLite's file; null: elsewhere. */
  readonly databaseFile: string | null;
  /** Living servers of the database; null: not shared. */
  readonly livingNodes: () => number | null;
  readonly version: string;
  readonly pauses: () => readonly { readonly route: Route; readonly pause: Pause | null }[];
  readonly batchesInFlight: () => number;
  readonly deliveryThreads: () => number;
  readonly connections: (route: Route) => number;
  readonly linksBytes: () => number;
  readonly openStreams: () => number;
  /** How long deliveries have stood still. */
  readonly stillMs: () => ReadonlyMap<Route, number>;
  readonly findings: Pick<ServerFindings, 'all' | 'stored'>;
  /** Size of the last own backup; null: none. */
  readonly lastBackupBytes: () => number | null;
  /** null: no TLS. */
  readonly certificateEndsAtMs: () => number | null;
}

/** Adds gauges, read only at scrapes. */
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
        // Removes the 0 of a gauge without labels.
        this.remove({});
        try {
          await read(this);
        } catch (error) {
          // Omits only the store's gauges: the others are needed most then.
          if (!(error instanceof StoreUnavailable)) throw error;
        }
      },
    });
  const lane = ({ route, lane }: { route: Route; lane: Lane }) => ({ route, lane });
  /** One query for all gauges of a scrape. */
  let counting: ReturnType<typeof store.queueDepth> | null = null;
  const depths = () => {
    counting ??= store.queueDepth({}).finally(() => {
      counting = null;
    });
    return counting;
  };

  add('queue_waiting', 'Pushes that wait for their first attempt (upper bound).', ['route', 'lane'], async (gauge) => {
    for (const depth of await depths()) gauge.set(lane(depth), depth.waiting);
  });
  add('queue_deferred', 'Pushes that wait for a retry.', ['route', 'lane'], async (gauge) => {
    for (const depth of await depths()) gauge.set(lane(depth), depth.deferred);
  });
  add('queue_age_seconds', 'How long the oldest push that is due has waited.', ['route', 'lane'], async (gauge) => {
    for (const age of await store.queueAge({})) gauge.set(lane(age), age.ageMs / 1_000);
  });
  add(
    'deliveries_still_seconds',
    'How long pushes have been due on an open route without one being sent.',
    ['route'],
    (gauge) => {
      for (const [route, ms] of gauged.stillMs()) gauge.set({ route }, ms / 1_000);
    },
  );
  add(
    'findings',
    'Findings of status and doctor that the server knows itself.',
    ['check', 'severity'],
    async (gauge) => {
      for (const { check, status } of await gauged.findings.all()) gauge.inc({ check, severity: status });
    },
  );
  add('route_paused', '1 while a route sends only probes.', ['route'], (gauge) => {
    for (const { route, pause } of pauses()) gauge.set({ route }, pause === null ? 0 : 1);
  });
  add(
    'quarantined_devices',
    'Devices that their provider refuses: the devices are dead, or the configuration is wrong.',
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
  add('oldest_open_alert_seconds', 'How long the oldest open alert has been open.', [], async (gauge) => {
    const { oldest_opened_at: oldest } = await store.countAlerts({});
    if (oldest !== null) gauge.set(Math.max(0, (Date.now() - Date.parse(oldest)) / 1_000));
  });
  add('provider_connections', 'Open connections to the provider.', ['route'], (gauge) => {
    for (const { route } of pauses()) gauge.set({ route }, gauged.connections(route));
  });
  add('batches_in_flight', 'Batches in the delivery threads.', [], (gauge) => gauge.set(gauged.batchesInFlight()));
  add('delivery_threads', 'Delivery threads that run.', [], (gauge) => gauge.set(gauged.deliveryThreads()));
  add('links_bytes', 'Memory for links and data of queued events.', [], (gauge) => gauge.set(gauged.linksBytes()));
  add('open_streams', 'Open streams that report changes to apps.', [], (gauge) => gauge.set(gauged.openStreams()));
  add('certificate_expiry_timestamp_seconds', 'When the certificate of the server expires.', [], (gauge) => {
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
  add('maintenance_active', 'Maintenance windows that are on.', [], async (gauge) => {
    const known = (await gauged.findings.stored())?.maintenance;
    if (known !== undefined) gauge.set(known.on);
  });
  add('on_call_unreachable', 'Members of rotas whom alerts of a channel cannot wake.', [], async (gauge) => {
    const known = (await gauged.findings.stored())?.unreachable;
    if (known !== undefined) gauge.set(known.count);
  });
  add('webhooks', 'Webhooks, by their state.', ['state'], async (gauge) => {
    const known = (await gauged.findings.stored())?.webhooks;
    if (known === undefined) return;
    gauge.set({ state: 'active' }, known.active);
    gauge.set({ state: 'disabled' }, known.disabled);
  });
  add('webhook_messages', 'Messages that wait for their webhook.', [], async (gauge) => {
    const known = (await gauged.findings.stored())?.webhooks;
    if (known !== undefined) gauge.set(known.waiting);
  });
  add('living_nodes', 'Servers that share the database, as far as this one knows.', [], (gauge) => {
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
