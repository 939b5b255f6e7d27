import { once } from 'node:events';
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { QUIET_WORDS } from '../contract/loudness.ts';
import type { Pool } from '../delivery/pool.ts';
import { listenAt } from '../http/listeners/listener.ts';
import type { ResponseSummary } from '../http/responder.ts';
import type { Clock } from '../process/clock.ts';
import { ALERT_ENDS } from '../store/calls/alerts.ts';
import type { Round, WebhookOutcome } from '../store/calls.ts';
import { addGauges, type MetricSources } from './gauges.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
const GROUP_CALLS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** Gauges of Node.js named like counters, and duplicated by type. */
const NO_COUNTERS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Collects Prometheus metrics, without workspaces, people or devices. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = { registers: [this.#registry] };
  readonly #requests = new Histogram({
    name: 'pushctl_http_request_duration_seconds',
    help: 'Time from the header of a request to its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    ...this.#registers,
  });
  readonly #commits = new Histogram({
    name: 'pushctl_store_commit_duration_seconds',
    help: 'Time to run, commit and sync a group of calls of the store.',
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
    help: 'Time from the acceptance of an event to its first push to a provider.',
    labelNames: ['route', 'lane'] as const,
    buckets: WAIT_SECONDS,
    ...this.#registers,
  });
  readonly #sends = new Histogram({
    name: 'pushctl_send_duration_seconds',
    help: 'Time that a batch takes at its provider.',
    labelNames: ['route'] as const,
    buckets: REQUEST_SECONDS,
    ...this.#registers,
  });
  readonly #answers = new Counter({
    name: 'pushctl_push_answers_total',
    help: 'Answers of providers, by meaning.',
    labelNames: ['route', 'outcome'] as const,
    ...this.#registers,
  });
  readonly #quiet = new Counter({
    name: 'pushctl_quiet_pushes_total',
    help: 'Accepted pushes without a sound, by reason.',
    labelNames: ['reason'] as const,
    ...this.#registers,
  });
  readonly #events = new Counter({
    name: 'pushctl_events_accepted_total',
    help: 'New events.',
    ...this.#registers,
  });
  readonly #failedBackups = new Counter({
    name: 'pushctl_backup_failures_total',
    help: 'Failed backups of [backup].',
    ...this.#registers,
  });
  readonly #alerts = new Counter({
    name: 'pushctl_alerts_total',
    help: 'Ended alerts: expired or resolved.',
    labelNames: ['end'] as const,
    ...this.#registers,
  });
  readonly #webhooks = new Counter({
    name: 'pushctl_webhook_attempts_total',
    help: 'Attempts to send messages to webhooks, by outcome: taken, failed, or gone (the receiver wants no more).',
    labelNames: ['outcome'] as const,
    ...this.#registers,
  });
  readonly #damaged = new Counter({
    name: 'pushctl_database_damaged_calls_total',
    help: 'Calls of the store that met a damaged page, or a page that the disk could not read or write.',
    ...this.#registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of NO_COUNTERS) this.#registry.removeSingleMetric(name);
    for (const end of ALERT_ENDS) this.#alerts.inc({ end }, 0);
    for (const reason of Object.keys(QUIET_WORDS)) this.#quiet.inc({ reason }, 0);
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
        for (const { index, outcome } of sent) {
          if (outcome.kind !== 'recalled') this.#answers.inc({ route, outcome: outcome.kind });
          const reason = batch.events[batch.targets[index]?.event ?? -1]?.event.quietReason;
          if (outcome.kind === 'accepted' && reason !== undefined) this.#quiet.inc({ reason });
        }
        return sent;
      },
    };
  }

  /** Serves GET and HEAD of /metrics. Throws OperatorProblem on failure. */
  async listen(place: Config['listen']) {
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
    await listenAt(server, place, 'metrics.listen');
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
