import type { Logger } from 'pino';
import { systemAfter, systemClock } from '../clock.ts';
import { baseUrlOf, type Config, configuredRoutes } from '../config/config.ts';
import type { PoolOptions } from '../delivery/pool.ts';
import { collectGarbage } from '../garbage-collection.ts';
import { type App, createApp } from '../http/app.ts';
import { type RunningHttp, startHttp } from '../http/listener.ts';
import { createLog } from '../http/log.ts';
import { readWebFiles } from '../http/web/files.ts';
import { packagePath } from '../package.ts';
import { explainOn } from '../providers/explain.ts';
import { laneOf, type Route } from '../push.ts';
import type { AcceptArgs } from '../store/calls.ts';
import type { Held } from '../store/carriers/call-line.ts';
import { type SocketOptions, serveSocket } from '../store/carriers/socket-server.ts';
import { CANCELLED, type ServingStore } from '../store/serving-store.ts';
import { databasePath, socketPath } from '../store/sqlite/files/folder.ts';
import { Closers } from './closers.ts';
import { type Delivery, type DeliveryOptions, openDelivery, SETTLE_GRACE_MS } from './delivery.ts';
import { Feed } from './feed/feed.ts';
import { Housekeeping } from './housekeeping.ts';
import { liveRoutes } from './live-routes.ts';
import type { Metrics } from './metrics.ts';
import { OperatorPauses } from './operator-pauses.ts';
import { forOperators } from './operator-store.ts';
import { Renewals } from './renewals.ts';
import { StatusReporter } from './status.ts';
import { openStore } from './store.ts';

/** How long requests in flight may take once the server stops; then their connections are closed. */
const HTTP_GRACE_MS = 5_000;
/**
 * Where other servers take over: for how long a client may ask once more on the connection that it has, so that none finds
 * it closed as it asks.
 */
const LAST_ASK_MS = 1_000;
/** For closing the database and ending the threads. */
const CLOSE_GRACE_MS = 10_000;

export interface ServerOptions {
  readonly version: string;
  readonly log?: Logger;
  /** The store thread died, so nothing can be accepted or recorded: the process must end, to be restarted. */
  readonly onFatal?: (error: Error) => void;
  /** Called for everything that occupied the store thread, with its duration. */
  readonly onHeld?: (held: Held) => void;
  /** For tests: overrides of the delivery threads' deadlines and module. */
  readonly pool?: Partial<Pick<PoolOptions, 'limits' | 'deadlineMs' | 'worker'>>;
  /** For tests: another build of the web app. */
  readonly webFolder?: string;
}

export interface RunningServer {
  /** Where the API listens, without the path `/api`. */
  readonly url: string;
  /** Where Prometheus asks; null: nowhere. */
  readonly metricsUrl: string | null;
  /** The longest time that a stop can take. */
  readonly stopsWithinMs: number;
  /** Whether the store thread and a delivery thread answer. Never rejects; waits while they hang. */
  isAlive(): Promise<boolean>;
  /** Reads certificates and provider credentials again. Unusable ones are logged, and the old ones stay. */
  reload(): Promise<void>;
  /** Takes no more requests, sends what is due for at most `stop_timeout`, keeps the rest for the next start. */
  stop(): Promise<void>;
}

/**
 * Builds everything: the store, the delivery threads, the relay between them, and last the HTTP listener, so that no
 * event comes in before it can be sent. Throws OperatorProblem; what was opened by then is closed again.
 */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level);
  const opened = new Closers();
  try {
    return await build(config, options, log, opened);
  } catch (error) {
    // The first error is the cause; errors of closing may follow from it.
    await opened.closeAll().catch(() => {});
    throw error;
  }
}

async function build(config: Config, options: ServerOptions, log: Logger, opened: Closers): Promise<RunningServer> {
  const { dataDir } = config;
  const { version, pool, onFatal } = options;
  const clock = systemClock();
  const metrics = config.metrics.listen && (await openMetrics());
  let http: RunningHttp | null = null;
  let health = (): object => ({});
  const store = await openStore(config, {
    clock,
    log,
    onFatal,
    about: () => ({ address: http?.url ?? null, health: health() }),
    onHeld(held) {
      if (held.by === 'group') metrics?.committed(held.calls, held.tookMs);
      options.onHeld?.(held);
    },
  });
  opened.add(() => store.close());

  const renewals = new Renewals({ config, clock, after: systemAfter, log });
  const onSent: DeliveryOptions['onSent'] = (claim, answers) => {
    feed.sent(claim, answers);
    status.sent(claim.route, answers);
  };
  if (config.webpush === null) log.info('Web Push is off, as webpush.contact is not set: browsers get no pushes');
  const vapid = config.webpush && (await store.vapidKeys({}));
  const installation = { baseUrl: baseUrlOf(config), vapid };
  let app: App | null = null;
  const onSettled: DeliveryOptions['onSettled'] = ({ events }) => app?.streams.settled(events);
  const parts = { config, installation, store, clock, log, metrics, pool, onSent, onSettled, opened };
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
  const feed = new Feed({ store, clock, ...state });
  const linksLimitBytes = config.limits.linksMemoryBytes;
  const routes = () => liveRoutes(relay, clock);
  const status = new StatusReporter({ clock, version, linksLimitBytes, routes, ...state });
  health = () => status.health();
  const certificateEndsAtMs = () => http?.certificateEndsAtMs() ?? null;
  const openStreams = () => app?.streams.count ?? 0;
  store.others?.onTold(CANCELLED, (publicId) => delivery.links.drop(publicId));
  let living: number | null = null;
  store.others?.onLiving((count) => {
    living = count;
  });
  const databaseFile = config.store === null ? databasePath(dataDir) : null;
  const livingNodes = () => living;
  metrics?.gauge({ store, databaseFile, livingNodes, version, certificateEndsAtMs, openStreams, ...state });

  const listening = Promise.withResolvers<string>();
  const streams: SocketOptions['streams'] = {
    watch: feed.watch.bind(feed),
    async status(_, emit) {
      emit(status.now(await listening.promise, await store.fault()));
      return () => {};
    },
  };
  const ofOperators = forOperators(store, { relay, pauses, links: delivery.links, clock });
  const socket = await serveSocket({ path: socketPath(dataDir), store: ofOperators, version, streams });
  opened.add(() => socket.close());
  const housekeeping = new Housekeeping({ store, clock, after: systemAfter, log });
  opened.add(async () => housekeeping.stop());
  store.onTouched('remains', () => housekeeping.wake());
  const metricsListener = config.metrics.listen && metrics ? await metrics.listen(config.metrics.listen) : null;
  if (metricsListener) opened.add(() => metricsListener.close());

  const told = tellingOf(store, (event, routes) => {
    relay.nudge(routes, laneOf(event.urgency));
    feed.accepted(event, routes);
    metrics?.accepted();
  });
  app = createApp({
    store: told,
    config,
    clock,
    log,
    links: delivery.links,
    web: config.web.enabled ? readWebFiles(options.webFolder ?? packagePath('dist', 'web')) : null,
    liveRoutes: routes,
    explain: explainOn,
    ...(metrics && { onAnswered: metrics.answered.bind(metrics) }),
  });
  collectGarbage();
  http = await startHttp({ handler: app.callback(), config, log });
  listening.resolve(http.url);
  relay.start();
  housekeeping.start();
  log.info({ url: http.url, version, routes: configuredRoutes(config) }, 'listening');
  renewals.start({ http, delivery });

  const metricsUrl = metricsListener?.url ?? null;
  return running({ config, log, store, delivery, app, http, renewals, metricsUrl, opened });
}

/** Their library and what it needs takes some MB: it stays out where nobody asks for metrics. */
async function openMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics();
}

/** The same store, which reports every event that it accepts. */
function tellingOf(
  store: ServingStore,
  onAccepted: (args: AcceptArgs, routes: readonly Route[]) => void,
): ServingStore {
  return {
    ...store,
    async acceptEvent(args, actor) {
      const answer = await store.acceptEvent(args, actor);
      if (answer.kind === 'accepted') onAccepted(args, answer.routes);
      return answer;
    },
  };
}

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly store: ServingStore;
  readonly delivery: Delivery;
  readonly app: App;
  readonly http: RunningHttp;
  readonly renewals: Renewals;
  readonly metricsUrl: string | null;
  readonly opened: Closers;
}

/** The running server's operations, once all its parts are built. */
function running({ config, log, store, delivery, app, http, renewals, metricsUrl, opened }: Parts): RunningServer {
  let isStopping = false;
  const lastAskMs = config.store === null ? 0 : LAST_ASK_MS;
  return {
    url: http.url,
    metricsUrl,
    stopsWithinMs: lastAskMs + HTTP_GRACE_MS + config.delivery.stopTimeoutMs + SETTLE_GRACE_MS + CLOSE_GRACE_MS,
    async isAlive() {
      const answers = await Promise.all([store.isAlive(), delivery.isAlive()]);
      return answers.every((isAlive) => isAlive);
    },
    async reload() {
      if (await renewals.reload()) log.info('certificates and credentials read again');
      else log.warn('not all certificates and credentials could be read again; what is wrong stands above');
    },
    async stop() {
      if (isStopping) return;
      isStopping = true;
      log.info('stopping');
      renewals.stop();
      app.streams.endAll();
      await http.close(HTTP_GRACE_MS, lastAskMs);
      await delivery.stop();
      await opened.closeAll();
      log.info('stopped');
    },
  };
}
