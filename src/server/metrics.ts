import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Pause } from '../delivery/circuit-breaker.ts';
import type { Pool } from '../delivery/pool.ts';
import type { ResponseSummary } from '../http/responder.ts';
import { OperatorProblem } from '../problem.ts';
import type { Lane, Route } from '../push.ts';
import { ALERT_ENDS } from '../store/calls/alerts.ts';
import { type Round, type StoreClient, StoreUnavailable, type WebhookOutcome } from '../store/calls.ts';
import type { ServerFindings } from './findings.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
const GROUP_CALLS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** Of Node.js: gauges whose names end like those of counters, each beside the same by type. */
const NO_COUNTERS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The sources of the gauges, read at each scrape. */
export interface MetricSources {
  readonly store: Pick<StoreClient, 'queueDepth' | 'queueAge' | 'listRoutes' | 'countAlerts'>;
  /** Of SQLite; null: the database is elsewhere. */
  readonly databaseFile: string | null;
  /** How many servers share the database and live; null: it is this one's alone. */
  readonly livingNodes: () => number | null;
  readonly version: string;
  readonly pauses: () => readonly { readonly route: Route; readonly pause: Pause | null }[];
  readonly batchesInFlight: () => number;
  readonly connections: (route: Route) => number;
  readonly linksBytes: () => number;
  readonly openStreams: () => number;
  /** For how long deliveries have stood still. */
  readonly stillMs: () => ReadonlyMap<Route, number>;
  readonly findings: Pick<ServerFindings, 'all' | 'stored'>;
  /** Of those that the server makes by itself; null: there is none. */
  readonly lastBackupBytes: () => number | null;
  /** null: no TLS. */
  readonly certificateEndsAtMs: () => number | null;
}

/** Metrics for Prometheus. They name no workspace, person or device. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = { registers: [this.#registry] };
  readonly #requests = new Histogram({
    name: 'pushctl_http_request_duration_seconds',
    help: 'From the head of a request to its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    ...this.#registers,
  });
  readonly #commits = new Histogram({
    name: 'pushctl_store_commit_duration_seconds',
    help: 'A group of calls of the store: carried out, committed, synced.',
    buckets: REQUEST_SECONDS,
    ...this.#registers,
  });
  readonly #groups = new Histogram({
    name: 'pushctl_store_commit_calls',
    help: 'Calls that were committed together.',
    buckets: GROUP_CALLS,
    ...this.#registers,
  });
  readonly #waits = new Histogram({
    name: 'pushctl_queue_wait_seconds',
    help: 'From the acceptance of an event to the first sending of some of its pushes to a provider.',
    labelNames: ['route', 'lane'] as const,
    buckets: WAIT_SECONDS,
    ...this.#registers,
  });
  readonly #sends = new Histogram({
    name: 'pushctl_send_duration_seconds',
    help: 'A batch at its provider.',
    labelNames: ['route'] as const,
    buckets: REQUEST_SECONDS,
    ...this.#registers,
  });
  readonly #answers = new Counter({
    name: 'pushctl_push_answers_total',
    help: 'What providers answered, by its meaning.',
    labelNames: ['route', 'outcome'] as const,
    ...this.#registers,
  });
  readonly #events = new Counter({
    name: 'pushctl_events_accepted_total',
    help: 'New events.',
    ...this.#registers,
  });
  readonly #failedBackups = new Counter({
    name: 'pushctl_backup_failures_total',
    help: 'Backups of [backup] that could not be made.',
    ...this.#registers,
  });
  readonly #alerts = new Counter({
    name: 'pushctl_alerts_total',
    help: 'Alerts that have ended, by how: expired, or resolved.',
    labelNames: ['end'] as const,
    ...this.#registers,
  });
  readonly #webhooks = new Counter({
    name: 'pushctl_webhook_attempts_total',
    help: 'What was sent to webhooks, by what came of it: taken, failed, or gone (their receiver wants no more).',
    labelNames: ['outcome'] as const,
    ...this.#registers,
  });
  readonly #damaged = new Counter({
    name: 'pushctl_database_damaged_calls_total',
    help: 'Calls of the store that met a damaged page, or one that the disk did not give or take.',
    ...this.#registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of NO_COUNTERS) this.#registry.removeSingleMetric(name);
    for (const end of ALERT_ENDS) this.#alerts.inc({ end }, 0);
  }

  gauge(gauged: MetricSources): void {
    addGauges(this.#registry, gauged);
  }

  answered({ method, route, status, durationMs }: ResponseSummary): void {
    this.#requests.observe({ method, route: route ?? 'none', status: String(status) }, durationMs / 1_000);
  }

  committed(calls: number, durationMs: number): void {
    this.#commits.observe(durationMs / 1_000);
    this.#groups.observe(calls);
  }

  backupFailed(): void {
    this.#failedBackups.inc();
  }

  webhookSent(outcome: WebhookOutcome['kind']): void {
    this.#webhooks.inc({ outcome });
  }

  damaged(): void {
    this.#damaged.inc();
  }

  ended(alerts: Round['ended']): void {
    for (const [end, count] of Object.entries(alerts)) this.#alerts.inc({ end }, count);
  }

  accepted(): void {
    this.#events.inc();
  }

  /** The same pool, measured. */
  measured(pool: Sender, clock: Clock): Sender {
    return {
      send: async (batch, onEarly) => {
        const startMs = clock.steadyMs();
        const { route, lane } = batch;
        const isRetried = new Set(batch.targets.filter(({ attempts }) => attempts > 0).map(({ event }) => event));
        for (const [place, { event }] of batch.events.entries()) {
          if (isRetried.has(place)) continue;
          const waitMs = Math.max(0, clock.wallMs() - event.receivedAtMs);
          this.#waits.observe({ route, lane }, waitMs / 1_000);
        }
        const sent = await pool.send(batch, onEarly);
        this.#sends.observe({ route }, (clock.steadyMs() - startMs) / 1_000);
        for (const { outcome } of sent) {
          if (outcome.kind !== 'recalled') this.#answers.inc({ route, outcome: outcome.kind });
        }
        return sent;
      },
    };
  }

  /** Answers GET and HEAD of /metrics. Throws an OperatorProblem where the address is taken. */
  async listen({ host, port }: { readonly host: string; readonly port: number }) {
    const server = createServer((request, response) => {
      if (!['GET', 'HEAD'].includes(request.method ?? '') || request.url !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      this.#registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': this.#registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (error) {
      const what = `cannot listen on metrics.listen ${host}:${port}: ${(error as Error).message}.`;
      throw new OperatorProblem(what, 1, { advice: 'Set another port there, or leave it out.' });
    }
    const { address, port: taken } = server.address() as { address: string; port: number };
    return {
      url: `http://${address.includes(':') ? `[${address}]` : address}:${taken}/metrics`,
      close: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    };
  }
}

type Sender = Pick<Pool, 'send'>;

function addGauges(registry: Registry, gauged: MetricSources): void {
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
        // Of one without labels that leaves a 0.
        this.remove({});
        try {
          await read(this);
        } catch (error) {
          // What only the store knows is left out while it cannot be asked: the rest is most wanted then.
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
    'suspect_devices',
    'Devices that are refused, dead or by a mistake of ours.',
    ['route', 'reason'],
    async (gauge) => {
      for (const { route, suspects } of await store.listRoutes({})) {
        for (const { reason, devices } of suspects) gauge.set({ route, reason }, devices);
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
  add('links_bytes', 'Memory that the links of queued events take.', [], (gauge) => gauge.set(gauged.linksBytes()));
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
