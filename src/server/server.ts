import type { Logger } from 'pino';
import { baseUrlOf, type Config, configuredRoutes } from '../config/config.ts';
import { type HeldSockets, NO_HELD_SOCKETS, SOCKET_UNITS } from '../config/held-sockets.ts';
import type { PoolOptions } from '../delivery/pool.ts';
import { type App, createApp } from '../http/app.ts';
import { UntrustedProxy } from '../http/client-address.ts';
import { startHttp } from '../http/listeners/listener.ts';
import { readWebFiles } from '../http/web/files.ts';
import { configuredProvider } from '../oidc/provider.ts';
import { type SystemClock, systemAfter, systemClock } from '../process/clock.ts';
import { packagePath } from '../process/package.ts';
import { collectGarbageOfStart, lowerPoolPriority } from '../process/threads.ts';
import { explainOn } from '../providers/explain.ts';
import { laneOf } from '../push.ts';
import { isRefusal } from '../store/calls.ts';
import { afterCalls, CANCELLED, type ServingStore, vapidKeysOf } from '../store/client.ts';
import { socketPath } from '../store/data-folder.ts';
import type { Held } from '../store/transports/call-line.ts';
import { type SocketOptions, serveSocket } from '../store/transports/socket-server.ts';
import type { Upkeep } from '../store/upkeep.ts';
import { backgroundJobs } from './background-jobs.ts';
import { Closers } from './closers.ts';
import { Renewals } from './credential-rotation.ts';
import { type Delivery, openDelivery } from './delivery.ts';
import type { Feed } from './feed/feed.ts';
import { createLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { observe } from './observers.ts';
import { forOperators, OperatorPauses } from './operators.ts';
import {
  openBackups,
  openMetrics,
  openOwnCertificates,
  openRedirects,
  openSmtp,
  serveMetrics,
} from './optional-parts.ts';
import { serveReaders } from './readers.ts';
import { type RunningServer, running } from './running.ts';
import { socketStreams } from './status.ts';
import { openStore } from './store.ts';

export type { RunningServer };

export interface ServerOptions {
  readonly version: string;
  readonly log?: Logger;
  /** Listening sockets of systemd's. */
  readonly held?: HeldSockets;
  /** SQLite's store thread died: the process must end and restart. */
  readonly onFatal?: (error: Error) => void;
  /** Called with each use's duration of the store thread or PostgreSQL group. */
  readonly onHeld?: (held: Held) => void;
  /** Used by tests only. */
  readonly pool?: Partial<Pick<PoolOptions, 'limits' | 'deadlineMs' | 'worker'>>;
  /** Used by tests only. */
  readonly webFolder?: string;
}

/**
 * Builds everything, then starts it. Listeners come last: no event is posted before all that sends it is there. Sending
 * starts after them: a server that cannot listen sends nothing. Throws OperatorProblem, after closing what was opened.
 */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level);
  const opened = new Closers();
  const https = options.held?.https ?? null;
  try {
    // Everything derived from `listen` uses the real listening address.
    return await build({ ...config, ...(https && { listen: https }) }, config, { options, log, opened });
  } catch (error) {
    // Throws the first error, which may cause those of closing.
    await opened.closeAll().catch(() => {});
    throw error;
  }
}

interface Building {
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly opened: Closers;
}

async function build(config: Config, configured: Config, { options, log, opened }: Building): Promise<RunningServer> {
  const { version, held = NO_HELD_SOCKETS } = options;
  const clock = systemClock();
  const timed = { clock, after: systemAfter, log };
  const metrics = await openMetrics(config);
  const troubles = new Map<Upkeep, string>();
  const store = await openServingStore(config, { ...options, clock, log, metrics, troubles, opened });
  if (config.oidc?.only) while ((await store.shortenSessions({})) > 0);

  const renewals = new Renewals({ config, ...timed });
  const delivery = await openSending(config, { ...options, store, clock, log, metrics, opened });
  const { relay } = delivery;
  const pauses = new OperatorPauses({ store, relay });
  opened.add(async () => pauses.stop());
  await pauses.begin();
  const onFailed = () => metrics?.backupFailed();
  const backups = await openBackups({ config, store, clock, log, onFailed });
  if (backups) opened.add(() => backups.stop());
  const certificates = await openOwnCertificates(config, { ...timed, hasPort80: held.http !== null });
  opened.add(async () => certificates?.stop());
  const provider = configuredProvider(config, clock);
  const untrustedProxy = new UntrustedProxy(config, clock);

  const observed = {
    config,
    version,
    clock,
    store,
    troubles,
    delivery,
    backups,
    certificates,
    provider,
    untrustedProxy,
  };
  const observers = observe(observed);
  const { findings, feed, status } = observers;
  const jobs = backgroundJobs({ config, store, clock, log, metrics, relay, certificates, ...observers });
  opened.add(async () => {
    for (const job of jobs) job.stop();
  });

  const app = createApp({
    store,
    config,
    clock,
    log,
    links: delivery.links,
    provider,
    web: config.web.enabled ? readWebFiles(options.webFolder ?? packagePath('dist', 'web')) : null,
    findings,
    liveRoutes: observers.routes,
    explain: explainOn,
    untrustedProxy,
    ...(metrics && { onAnswered: metrics.answered.bind(metrics) }),
  });
  opened.add(() => app.streams.finish());
  passOn({ store, delivery, app, feed, metrics });

  const { bodies, proven } = app;
  const textAt = certificates?.textAt;
  const redirects = held.http && (await openRedirects({ held: held.http, config, log, proven, textAt }));
  if (redirects !== null) opened.add(() => redirects.close());
  const ownTls = certificates?.tls ?? null;
  const http = await startHttp({ handler: app.callback(), config, log, proven, held: held.https, ownTls });
  opened.add(() => http.close(0));
  const bySockets = { socket: held.https && SOCKET_UNITS.https, redirects_from: redirects?.url ?? null };
  const listening = { url: http.url, ...bySockets };
  store.others?.introduce(() => ({ address: http.url, health: status.health() }));
  const streams = socketStreams({ configured, store, feed, findings, status, listening });
  await openSockets(
    config,
    { store: forOperators(store, { relay, pauses, clock }), version, streams },
    { bodies, log, opened },
  );
  const metricsUrl = await serveMetrics(metrics, { config, store, version, app, http, backups, observers, opened });
  const smtp = await openSmtp(config, app, http);
  if (smtp !== null) opened.add(() => smtp.close(0));

  collectGarbageOfStart();
  await lowerPoolPriority();
  relay.start();
  for (const job of jobs) job.start();
  backups?.start();
  const mail = {
    ...(smtp?.at && { mail: `${smtp.at.address}:${smtp.at.port}` }),
    ...(smtp?.atTls && { mail_tls: `${smtp.atTls.address}:${smtp.atTls.port}` }),
  };
  log.info(
    { url: http.url, ...(held.https && bySockets), ...mail, version, routes: configuredRoutes(config) },
    'listening',
  );
  const onCertificate = () => smtp?.useCertificate(http.tlsPair());
  renewals.start({ http, delivery, onCertificate, certificates });
  certificates?.start((pair) => {
    http.serveTls(pair);
    onCertificate();
  });

  const isHeld = held.https !== null;
  return running({ config, log, store, delivery, app, http, isHeld, smtp, renewals, metricsUrl, opened });
}

interface Opening extends Pick<ServerOptions, 'onFatal' | 'onHeld' | 'pool'> {
  readonly clock: SystemClock;
  readonly log: Logger;
  readonly metrics: Metrics | null;
  readonly opened: Closers;
}

/** `troubles`: failures in a shared database. */
async function openServingStore(
  config: Config,
  { clock, log, onFatal, onHeld, metrics, troubles, opened }: Opening & { readonly troubles: Map<Upkeep, string> },
): Promise<ServingStore> {
  const store = await openStore(config, {
    clock,
    log,
    onFatal,
    onHeld(held) {
      if (held.by === 'group') metrics?.committed(held.calls, held.tookMs);
      onHeld?.(held);
    },
    onDamagedCall: () => metrics?.damaged(),
    onTrouble(what, reason) {
      if (reason === null) troubles.delete(what);
      else troubles.set(what, reason);
    },
  });
  opened.add(() => store.close());
  return store;
}

async function openSending(config: Config, parts: Opening & { readonly store: ServingStore }): Promise<Delivery> {
  const { store, log, pool } = parts;
  if (config.webpush === null) log.info('Web Push is off: browsers get no pushes until webpush.contact is set');
  const vapid = config.webpush && (await vapidKeysOf(store));
  return openDelivery({ ...parts, pool, config, installation: { baseUrl: baseUrlOf(config), vapid } });
}

interface Connected {
  readonly store: ServingStore;
  readonly delivery: Delivery;
  readonly app: App;
  readonly feed: Feed;
  readonly metrics: Metrics | null;
}

function passOn({ store, delivery, app, feed, metrics }: Connected): void {
  const { relay, links } = delivery;
  delivery.onSettled(({ events }, gone) => app.streams.settled(events, gone));
  store.others?.onNotice(CANCELLED, (publicId) => links.drop(publicId));
  afterCalls(store, {
    acceptEvent(event, answer) {
      if (answer.kind !== 'accepted') return;
      relay.nudge(answer.routes, laneOf(event.urgency));
      feed.accepted(event, answer.routes);
      metrics?.accepted();
    },
    cancelEvent({ publicId }, answer) {
      if (isRefusal(answer)) return;
      links.drop(publicId);
      store.others?.notify(CANCELLED, publicId);
    },
  });
}

type Served = Pick<SocketOptions, 'store' | 'version' | 'streams'>;
type ForSockets = Pick<App, 'bodies'> & Pick<Opening, 'log' | 'opened'>;

async function openSockets(config: Config, served: Served, { bodies, log, opened }: ForSockets): Promise<void> {
  const onError = (call: string, err: Error) => log.error({ call, err }, 'a call over the socket failed unexpectedly');
  const socket = await serveSocket({ ...served, onError, path: socketPath(config.dataDir) });
  opened.add(() => socket.close());
  if (config.readSocket === null) return;
  const readers = await serveReaders({ ...served, onError, path: config.readSocket, bodies });
  opened.add(() => readers.close());
}
