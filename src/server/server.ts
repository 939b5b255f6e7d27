import type { Logger } from 'pino';
import { baseUrlOf, type Config, configuredRoutes } from '../config/config.ts';
import { type HeldSockets, NO_HELD_SOCKETS, SOCKET_UNITS } from '../config/held-sockets.ts';
import type { PoolOptions } from '../delivery/pool.ts';
import { type App, createApp } from '../http/app.ts';
import { type RunningHttp, startHttp } from '../http/listeners/listener.ts';
import type { RunningRedirects, StartRedirects } from '../http/listeners/redirects.ts';
import { ALIVE_WITHIN_MS } from '../http/routes/health.ts';
import type { RunningSmtp } from '../http/senders/smtp/listener.ts';
import { readWebFiles } from '../http/web/files.ts';
import { configuredProvider } from '../oidc/provider.ts';
import { oidcFindings } from '../oidc/trouble.ts';
import { systemAfter, systemClock, within } from '../process/clock.ts';
import { collectGarbageOfStart } from '../process/garbage-collection.ts';
import { packagePath } from '../process/package.ts';
import { explainOn } from '../providers/explain.ts';
import { laneOf } from '../push.ts';
import { isRefusal } from '../store/calls.ts';
import { databasePath, socketPath } from '../store/data-folder.ts';
import { afterCalls, CANCELLED } from '../store/serving-store.ts';
import type { Held } from '../store/transports/call-line.ts';
import { type SocketOptions, serveSocket } from '../store/transports/socket-server.ts';
import type { Upkeep } from '../store/upkeep.ts';
import { openBackups } from './backups/open.ts';
import type { Certificates, openCertificates } from './certificates.ts';
import { ClockWatch } from './clock-watch.ts';
import { Closers } from './closers.ts';
import { Renewals } from './credential-rotation.ts';
import { openDelivery } from './delivery.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { Feed } from './feed/feed.ts';
import { ServerFindings } from './findings.ts';
import { Housekeeping } from './housekeeping.ts';
import { createLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { OperatorPauses } from './operator-pauses.ts';
import { forOperators, liveRoutes } from './operator-store.ts';
import { serveReaders } from './readers.ts';
import { reportedSettings } from './reported-settings.ts';
import { type RunningServer, running } from './running.ts';
import { SignOfLife } from './sign-of-life.ts';
import { type Listening, StatusReporter } from './status.ts';
import { openStore } from './store.ts';
import { alertRounds } from './timed/alert-rounds.ts';
import { heartbeatWatch } from './timed/heartbeat-watch.ts';
import { scheduledReleases } from './timed/releases.ts';
import { WebhookSender } from './webhooks/sender.ts';

export type { RunningServer };

export interface ServerOptions {
  readonly version: string;
  readonly log?: Logger;
  /** Listening sockets of systemd's. */
  readonly held?: HeldSockets;
  /** The store thread of SQLite died, so nothing can be accepted or recorded: the process must end, to be restarted. */
  readonly onFatal?: (error: Error) => void;
  /** Called for everything that occupied the store thread, and for each group over PostgreSQL, with its duration. */
  readonly onHeld?: (held: Held) => void;
  /** For tests: overrides of the delivery threads' deadlines and module. */
  readonly pool?: Partial<Pick<PoolOptions, 'limits' | 'deadlineMs' | 'worker'>>;
  /** For tests: another build of the web app. */
  readonly webFolder?: string;
}

/**
 * Builds everything: the store, the delivery threads, the relay between them, and last the HTTP listener, so that no
 * event is posted before all that sends it is there. The relay starts after it: a server that cannot listen sends nothing.
 * Throws OperatorProblem; what was opened by then is closed again.
 */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level);
  const opened = new Closers();
  const https = options.held?.https ?? null;
  try {
    // All that is derived from `listen` is where the server really is.
    return await build(https === null ? config : { ...config, listen: https }, options, log, opened);
  } catch (error) {
    // The first error is the cause; errors of closing may follow from it.
    await opened.closeAll().catch(() => {});
    throw error;
  }
}

async function build(config: Config, options: ServerOptions, log: Logger, opened: Closers): Promise<RunningServer> {
  const { dataDir } = config;
  const { version, pool, onFatal, held = NO_HELD_SOCKETS } = options;
  const clock = systemClock();
  const metrics = config.metrics.listen && (await openMetrics());
  let http: RunningHttp | null = null;
  let health = (): object => ({});
  const troubles = new Map<Upkeep, string>();
  const store = await openStore(config, {
    clock,
    log,
    onFatal,
    about: () => ({ address: http?.url ?? null, health: health() }),
    onHeld(held) {
      if (held.by === 'group') metrics?.committed(held.calls, held.tookMs);
      options.onHeld?.(held);
    },
    onDamagedCall: () => metrics?.damaged(),
    onTrouble(what, reason) {
      if (reason === null) troubles.delete(what);
      else troubles.set(what, reason);
    },
  });
  opened.add(() => store.close());

  if (config.oidc?.only) while ((await store.shortenSessions({})) > 0);

  const renewals = new Renewals({ config, clock, after: systemAfter, log });
  if (config.webpush === null) log.info('Web Push is off, as webpush.contact is not set: browsers get no pushes');
  const vapid = config.webpush && (await store.vapidKeys({}));
  const installation = { baseUrl: baseUrlOf(config), vapid };
  let app: App | null = null;
  const parts = { config, installation, store, clock, log, metrics, pool, opened };
  const delivery = await openDelivery(parts);
  const { relay } = delivery;
  const pauses = new OperatorPauses({ store, relay });
  opened.add(async () => pauses.stop());
  await pauses.begin();
  const state = {
    pauses: () => relay.pauses(),
    batchesInFlight: () => delivery.batchesInFlight(),
    connections: delivery.connections,
    linksBytes: () => delivery.links.bytes,
  };
  const onFailed = () => metrics?.backupFailed();
  const backups = await openBackups({ config, store, clock, log, onFailed });
  if (backups) opened.add(() => backups.stop());
  const feed = new Feed({ store, clock, ...state });
  const linksLimitBytes = config.limits.linksMemoryBytes;
  const routes = () => liveRoutes(relay, clock);
  const watch = new DeliveryWatch({ store, clock, after: systemAfter, routes });
  const { linksBytes } = state;
  const acme = config.tls?.acme ?? null;
  const certificates =
    acme &&
    (await openOwnCertificates(config, acme, { clock, after: systemAfter, log, hasPort80: held.http !== null }));
  opened.add(async () => certificates?.stop());
  const provider = configuredProvider(config, clock);
  const findings = new ServerFindings({
    store,
    certificate: () => certificates?.findings() ?? [],
    signIn: () => oidcFindings(provider),
    clock,
    routes,
    stillMs: () => watch.stillMs(),
    troubles: () => troubles,
    linksBytes,
    linksLimitBytes,
    backups: (last) => backups?.findings(last) ?? [],
  });
  const nextBackupMs = () => backups?.nextAtMs() ?? null;
  const settings = reportedSettings(config, clock);
  const status = new StatusReporter({ clock, version, linksLimitBytes, routes, nextBackupMs, settings, ...state });
  delivery.onSent((claim, answers) => {
    feed.sent(claim, answers);
    status.sent(claim.route, answers);
    watch.sent(claim.route, answers);
  });
  health = () => status.health();
  const certificateEndsAtMs = () => http?.certificateEndsAtMs() ?? null;
  const openStreams = () => app?.streams.count ?? 0;
  store.others?.onNotice(CANCELLED, (publicId) => delivery.links.drop(publicId));
  let living: number | null = null;
  store.others?.onLiving((count) => {
    living = count;
  });
  const databaseFile = config.store === null ? databasePath(dataDir) : null;
  const livingNodes = () => living;
  metrics?.gauge({
    store,
    databaseFile,
    livingNodes,
    version,
    certificateEndsAtMs,
    openStreams,
    findings,
    lastBackupBytes: () => backups?.lastBytes() ?? null,
    stillMs: () => watch.stillMs(),
    ...state,
  });

  const listens = Promise.withResolvers<Listening>();
  const streams: SocketOptions['streams'] = {
    watch: feed.watch.bind(feed),
    async status(_, emit) {
      const listening = await listens.promise;
      const alerts = await store.countAlerts({}).catch(() => null);
      emit(status.now(listening, { findings: await findings.all(), stored: await findings.stored(), alerts }));
      return () => {};
    },
    async alive(_, emit) {
      const answers = listens.promise.then(() => store.isAlive());
      emit({ alive: await within(ALIVE_WITHIN_MS, answers, false) });
      return () => {};
    },
    async check(_, emit) {
      emit({ damage: await store.check() });
      return () => {};
    },
  };
  const ofOperators = forOperators(store, { relay, pauses, clock });
  const onError = (call: string, err: Error) => log.error({ call, err }, 'a call over the socket failed unexpectedly');
  const socketOptions = { store: ofOperators, version, streams, onError };
  const socket = await serveSocket({ ...socketOptions, path: socketPath(dataDir) });
  opened.add(() => socket.close());
  const timed = { store, clock, after: systemAfter, log };
  const housekeeping = new Housekeeping(timed);
  store.onTouched('cleanup', () => housekeeping.wake());
  const backgroundJobs = [
    watch,
    new ClockWatch({ ...timed, onJump: () => relay.tryRefused() }),
    housekeeping,
    heartbeatWatch(timed),
    alertRounds({ ...timed, onEnded: (alerts) => metrics?.ended(alerts) }),
    scheduledReleases(timed),
    new WebhookSender({ ...timed, config, onSent: (outcome) => metrics?.webhookSent(outcome) }),
    ...(config.watchdog === null ? [] : [new SignOfLife({ ...config.watchdog, ...timed, findings })]),
  ];
  opened.add(async () => {
    for (const job of backgroundJobs) job.stop();
  });
  const metricsListener = config.metrics.listen && metrics ? await metrics.listen(config.metrics.listen) : null;
  if (metricsListener) opened.add(() => metricsListener.close());

  afterCalls(store, {
    acceptEvent(event, answer) {
      if (answer.kind !== 'accepted') return;
      relay.nudge(answer.routes, laneOf(event.urgency));
      feed.accepted(event, answer.routes);
      metrics?.accepted();
    },
    cancelEvent({ publicId }, answer) {
      if (isRefusal(answer)) return;
      delivery.links.drop(publicId);
      store.others?.notify(CANCELLED, publicId);
    },
  });
  app = createApp({
    store,
    config,
    clock,
    log,
    links: delivery.links,
    provider,
    web: config.web.enabled ? readWebFiles(options.webFolder ?? packagePath('dist', 'web')) : null,
    findings,
    liveRoutes: routes,
    explain: explainOn,
    ...(metrics && { onAnswered: metrics.answered.bind(metrics) }),
  });
  const { bodies, proven, streams: appStreams } = app;
  delivery.onSettled(({ events }, gone) => appStreams.settled(events, gone));
  if (config.readSocket !== null) {
    const readers = await serveReaders({ ...socketOptions, path: config.readSocket, bodies });
    opened.add(() => readers.close());
  }
  const textAt = certificates?.textAt;
  const redirects = held.http && (await openRedirects({ held: held.http, config, log, proven, textAt }));
  if (redirects !== null) opened.add(() => redirects.close());
  const ownTls = certificates?.tls ?? null;
  http = await startHttp({ handler: app.callback(), config, log, proven, held: held.https, ownTls });
  const smtp = await openSmtp(config, app, http);
  const bySockets = { socket: held.https && SOCKET_UNITS.https, redirects_from: redirects?.url ?? null };
  listens.resolve({ url: http.url, ...bySockets });
  collectGarbageOfStart();
  relay.start();
  for (const job of backgroundJobs) job.start();
  backups?.start();
  const mail = smtp ? { mail: `${smtp.host}:${smtp.port}` } : {};
  log.info(
    { url: http.url, ...(held.https && bySockets), ...mail, version, routes: configuredRoutes(config) },
    'listening',
  );
  const onCertificate = () => smtp?.useCertificate(http?.tlsPair() ?? null);
  renewals.start({ http, delivery, onCertificate, certificates });
  certificates?.start((pair) => {
    http?.serveTls(pair);
    onCertificate();
  });

  const metricsUrl = metricsListener?.url ?? null;
  const isHeld = held.https !== null;
  return running({ config, log, store, delivery, app, http, isHeld, smtp, renewals, metricsUrl, opened });
}

/** Their library and what it needs takes some MB: it stays out where metrics are off. */
async function openMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics();
}

/** All of it stays out where the certificate is in files, or there is none. */
async function openOwnCertificates(...parts: Parameters<typeof openCertificates>): Promise<Certificates> {
  return (await import('./certificates.ts')).openCertificates(...parts);
}

async function openRedirects(options: StartRedirects): Promise<RunningRedirects> {
  return (await import('../http/listeners/redirects.ts')).startRedirects(options);
}

/** Its library stays out where no mail is taken. */
async function openSmtp({ senders: { smtp } }: Config, { mail }: App, http: RunningHttp): Promise<RunningSmtp | null> {
  if (smtp.listen === null) return null;
  const { startSmtp } = await import('../http/senders/smtp/listener.ts');
  try {
    return await startSmtp({ service: mail, listen: smtp.listen, pair: http.tlsPair() });
  } catch (error) {
    await http.close(0);
    throw error;
  }
}
