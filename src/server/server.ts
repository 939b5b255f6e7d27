import type { Logger } from 'pino';
import { systemAfter, systemClock } from '../clock.ts';
import { dropLeftovers, tuneCollector } from '../collector.ts';
import { type Config, configuredRoutes } from '../config/config.ts';
import type { PoolOptions } from '../delivery/pool.ts';
import { createApp } from '../http/app.ts';
import { type RunningHttp, startHttp } from '../http/listener.ts';
import { createLog } from '../http/log.ts';
import { laneOf, type Route } from '../push.ts';
import type { AcceptArgs } from '../store/calls.ts';
import { type SocketOptions, serveSocket } from '../store/carriers/socket-server.ts';
import { openStoreThread, type StoreThread } from '../store/carriers/thread-client.ts';
import { storeSettings } from '../store/settings.ts';
import { socketPath } from '../store/sqlite/files/folder.ts';
import { Closers } from './closers.ts';
import { tellOfFiles } from './database-file-log.ts';
import { type Delivery, type DeliveryOptions, openDelivery, SETTLE_GRACE_MS } from './delivery.ts';
import { Feed } from './feed/feed.ts';
import { Housekeeping } from './housekeeping.ts';
import { liveRoutes } from './live-routes.ts';
import { Metrics } from './metrics.ts';
import { forOperators, takeUpPauses } from './operators.ts';
import { Renewals } from './renewals.ts';
import { StatusReporter } from './status.ts';

/** Requests in flight may end for so long once the server stops; then their connections are cut. */
const HTTP_GRACE_MS = 5_000;
/** For closing the database and ending the threads. */
const CLOSE_GRACE_MS = 10_000;

export interface ServerOptions {
  readonly version: string;
  readonly log?: Logger;
  /** The store thread died, and nothing can be promised or recorded any more: the process must end, to be started afresh. */
  readonly onFatal?: (error: Error) => void;
  /** Told of every group of calls that the store has committed, and how long it took. */
  readonly onCommitted?: (calls: number, durationMs: number) => void;
  /** For tests: what differs from the delivery threads' own deadlines and module. */
  readonly pool?: Partial<Pick<PoolOptions, 'limits' | 'deadlineMs' | 'worker'>>;
}

export interface RunningServer {
  /** Where the API listens, without the path `/api`. */
  readonly url: string;
  /** Where Prometheus asks; null: nowhere. */
  readonly metricsUrl: string | null;
  /** A stop that is not over by then never will be. */
  readonly stopsWithinMs: number;
  /** Whether the store thread and a delivery thread have just answered. Never rejects; waits for as long as they hang. */
  isAlive(): Promise<boolean>;
  /** Reads certificates and provider credentials again. Whatever is wrong with them is logged, and the old ones stay. */
  reload(): Promise<void>;
  /** Takes nothing more, sends what is due for at most `stop_timeout`, keeps the rest for the next start. */
  stop(): Promise<void>;
}

/**
 * Builds everything, in the order in which a promise is kept: the store that holds it, the threads that carry it out, the
 * relay between them, and only then the door through which more come in. Throws OperatorProblem; what was opened by then is
 * closed again.
 */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level);
  const opened = new Closers();
  tuneCollector();
  try {
    return await build(config, options, log, opened);
  } catch (error) {
    // What kept it from starting is the news, not what cannot be closed because of that.
    await opened.closeAll().catch(() => {});
    throw error;
  }
}

async function build(config: Config, options: ServerOptions, log: Logger, opened: Closers): Promise<RunningServer> {
  const { dataDir } = config;
  const { version, pool, onFatal } = options;
  const clock = systemClock();
  const metrics = config.metrics.listen && new Metrics();
  const store = await openStoreThread({
    dataDir,
    settings: storeSettings(config),
    clock,
    ...(onFatal && { onFatal }),
    onFiles: (news) => tellOfFiles(log, news),
    onCommitted(calls, durationMs) {
      metrics?.committed(calls, durationMs);
      options.onCommitted?.(calls, durationMs);
    },
  });
  opened.add(() => store.close());
  if (store.isNew) log.warn({ dataDir }, 'there was no database here, so a new, empty one was made');
  if (store.upgraded) log.info(store.upgraded, 'the database was upgraded, and the one from before kept');

  const renewals = new Renewals({ config, clock, after: systemAfter, log });
  const onSent: DeliveryOptions['onSent'] = (claim, answers) => {
    feed.sent(claim, answers);
    status.sent(claim.route, answers);
  };
  const parts = { config, store, clock, log, metrics, pool, onSent, opened };
  const delivery = await openDelivery(parts);
  await takeUpPauses(store, delivery.relay);
  const state = {
    pauses: () => delivery.relay.pauses(),
    batchesInFlight: () => delivery.batchesInFlight(),
    connections: delivery.connections,
    linksBytes: () => delivery.links.bytes,
  };
  const feed = new Feed({ store, clock, ...state });
  const linksLimitBytes = config.limits.linksMemoryBytes;
  const routes = () => liveRoutes(delivery.relay, clock);
  const status = new StatusReporter({ clock, version, linksLimitBytes, routes, ...state });
  let http: RunningHttp | null = null;
  const certificateEndsAtMs = () => http?.certificateEndsAtMs() ?? null;
  metrics?.gauge({ store, clock, dataDir, version, certificateEndsAtMs, ...state });

  const listening = Promise.withResolvers<string>();
  const streams: SocketOptions['streams'] = {
    watch: feed.watch.bind(feed),
    async status(_, emit) {
      const { displaced } = await store.ping({});
      emit(status.now(await listening.promise, displaced));
      return () => {};
    },
  };
  const ofOperators = forOperators(store, { relay: delivery.relay, links: delivery.links, clock });
  const socket = await serveSocket({ path: socketPath(dataDir), store: ofOperators, version, streams });
  opened.add(() => socket.close());
  const housekeeping = new Housekeeping({ store, clock, after: systemAfter, log });
  opened.add(async () => housekeeping.stop());
  store.onTouched('remains', () => housekeeping.wake());
  const metricsListener = config.metrics.listen && metrics ? await metrics.listen(config.metrics.listen) : null;
  if (metricsListener) opened.add(() => metricsListener.close());

  const told = tellingOf(store, (event, routes) => {
    delivery.relay.nudge(routes, laneOf(event.urgency));
    feed.accepted(event, routes);
    metrics?.accepted();
  });
  const app = createApp({
    store: told,
    config,
    clock,
    log,
    links: delivery.links,
    pausedRoutes: () => state.pauses().flatMap(({ route, pause }) => (pause ? route : [])),
    ...(metrics && { onAnswered: metrics.answered.bind(metrics) }),
  });
  dropLeftovers();
  http = await startHttp({ handler: app.callback(), config, log });
  listening.resolve(http.url);
  delivery.relay.start();
  housekeeping.start();
  log.info({ url: http.url, version, routes: configuredRoutes(config) }, 'listening');
  renewals.start({ http, delivery });

  return running({ config, log, store, delivery, http, renewals, metricsUrl: metricsListener?.url ?? null, opened });
}

/** The same store, which tells of every event that it accepts. */
function tellingOf(store: StoreThread, onAccepted: (args: AcceptArgs, routes: readonly Route[]) => void): StoreThread {
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
  readonly store: StoreThread;
  readonly delivery: Delivery;
  readonly http: RunningHttp;
  readonly renewals: Renewals;
  readonly metricsUrl: string | null;
  readonly opened: Closers;
}

/** What can be asked of a server once all its parts are at work. */
function running({ config, log, store, delivery, http, renewals, metricsUrl, opened }: Parts): RunningServer {
  let isStopping = false;
  return {
    url: http.url,
    metricsUrl,
    stopsWithinMs: HTTP_GRACE_MS + config.delivery.stopTimeoutMs + SETTLE_GRACE_MS + CLOSE_GRACE_MS,
    async isAlive() {
      const answers = await Promise.allSettled([store.ping({}), delivery.isAlive()]);
      return answers.every((answer) => answer.status === 'fulfilled' && answer.value !== false);
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
      await http.close(HTTP_GRACE_MS);
      await delivery.stop();
      await opened.closeAll();
      log.info('stopped');
    },
  };
}
