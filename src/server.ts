import type { Logger } from 'pino';
import { systemClock } from './clock.ts';
import { type Config, configuredRoutes } from './config.ts';
import { LinkMemory } from './delivery/links.ts';
import { openPool, type PoolOptions } from './delivery/pool.ts';
import { Relay } from './delivery/relay.ts';
import { afterReal } from './delivery/signal.ts';
import { createApp } from './http/app.ts';
import { startHttp } from './http/listener.ts';
import { createLog } from './http/log.ts';
import { readCredentials } from './providers/credentials.ts';
import type { ProviderProblem } from './providers/provider.ts';
import { providerOf, type Route } from './push.ts';
import { Feed } from './server/feed.ts';
import { Housekeeping } from './server/housekeeping.ts';
import { Metrics } from './server/metrics.ts';
import type { AcceptArgs } from './store/calls.ts';
import { openStoreThread, type StoreThread } from './store/client.ts';
import { socketPath } from './store/folder.ts';
import { storeSettings } from './store/settings.ts';
import { serveSocket } from './store/socket-server.ts';

/** Requests in flight may end for so long once the server stops; then their connections are cut. */
const HTTP_GRACE_MS = 5_000;
/** How long the sends that are out may take to be settled, after `stop_timeout`. What is not settled is sent again. */
const SETTLE_GRACE_MS = 5_000;
/** For closing the database and ending the threads. */
const CLOSE_GRACE_MS = 10_000;

export interface ServerOptions {
  readonly version: string;
  readonly log?: Logger;
  /** systemd's $CREDENTIALS_DIRECTORY. */
  readonly credentialsDir?: string | undefined;
  /** The store thread died, and nothing can be promised or recorded any more: the process must end, to be started afresh. */
  readonly onFatal?: (error: Error) => void;
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
  try {
    return await build(config, options, log, opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

async function build(config: Config, options: ServerOptions, log: Logger, opened: Closers): Promise<RunningServer> {
  const { delivery, dataDir } = config;
  const { version, credentialsDir } = options;
  const clock = systemClock();
  const routes = configuredRoutes(config);

  const metrics = config.metrics && new Metrics();
  const store = await openStoreThread({
    dataDir,
    settings: storeSettings(config),
    ...(options.onFatal && { onFatal: options.onFatal }),
    ...(metrics && { onCommitted: metrics.committed.bind(metrics) }),
  });
  opened.add(() => store.close());
  if (store.upgraded) log.info(store.upgraded, 'the database was upgraded, and the one from before kept');

  const credentials = readCredentials(config, credentialsDir);
  const pool = await openPool({ ...options.pool, settings: credentials.settings, threads: delivery.threads });
  // What is still out by then was not settled in time, and is sent again after the next start.
  opened.add(() => pool.close(0));

  let isStopping = false;
  const links = new LinkMemory(config.limits.linksMemoryBytes, delivery.ttlMs, clock);
  const state = {
    pauses: () => relay.pauses(),
    batchesInFlight: () => pool.stats.inFlight,
    linksBytes: () => links.bytes,
  };
  const feed = new Feed({ store, clock, ...state });
  metrics?.gauge({ store, clock, dataDir, version, ...state });
  const relay = new Relay(
    {
      store,
      pool: metrics?.measured(pool, clock) ?? pool,
      links,
      clock,
      policy: delivery,
      threads: delivery.threads,
      log,
      random: Math.random,
      after: afterReal,
      isStopping: () => isStopping,
      onSent: (claim, answers) => feed.sent(claim, answers),
    },
    routes.map((route) => ({ route, perMinute: route === 'fcm' ? (config.fcm?.perMinute ?? null) : null })),
  );
  store.onTouched('queue', () => relay.nudge());
  setAvailability(relay, routes, credentials.problems, log);

  const streams = { watch: feed.watch.bind(feed) };
  const socket = await serveSocket({ path: socketPath(dataDir), store, version, streams });
  opened.add(() => socket.close());

  const housekeeping = new Housekeeping({ store, clock, after: afterReal, log });
  opened.add(async () => housekeeping.stop());

  const metricsListener = config.metrics && metrics ? await metrics.listen(config.metrics) : null;
  if (metricsListener) opened.add(() => metricsListener.close());

  const app = createApp({
    store: tellingOf(store, ({ workspaceId }) => {
      feed.accepted(workspaceId);
      metrics?.accepted();
    }),
    config,
    clock,
    log,
    links,
    pausedRoutes: () => relay.pauses().flatMap(({ route, pause }) => (pause ? route : [])),
    ...(metrics && { onAnswered: metrics.answered.bind(metrics) }),
  });
  const http = await startHttp({ handler: app.callback(), config, log });
  relay.start();
  housekeeping.start();
  log.info({ url: http.url, version, routes }, 'listening');

  return {
    url: http.url,
    metricsUrl: metricsListener?.url ?? null,
    stopsWithinMs: HTTP_GRACE_MS + delivery.stopTimeoutMs + SETTLE_GRACE_MS + CLOSE_GRACE_MS,
    async isAlive() {
      const answers = await Promise.allSettled([store.ping({}), pool.isAlive()]);
      return answers.every((answer) => answer.status === 'fulfilled' && answer.value !== false);
    },
    async reload() {
      const { problem } = http.reloadTls();
      if (problem) log.error(problem);
      const fresh = readCredentials(config, credentialsDir);
      try {
        await pool.reload(fresh.settings);
      } catch (error) {
        log.error(
          { err: error },
          'the delivery threads could not be started anew; they go on with the old credentials',
        );
        return;
      }
      setAvailability(relay, routes, fresh.problems, log);
      log.info('certificates and credentials read again');
    },
    async stop() {
      if (isStopping) return;
      log.info('stopping');
      await http.close(HTTP_GRACE_MS);
      const stopped = relay.stop(delivery.stopTimeoutMs, SETTLE_GRACE_MS);
      isStopping = true;
      await stopped;
      await opened.closeAll();
      log.info('stopped');
    },
  };
}

/** The same store, which tells of every event that it accepts. */
function tellingOf(store: StoreThread, onAccepted: (args: AcceptArgs) => void): StoreThread {
  return {
    ...store,
    async acceptEvent(args) {
      const answer = await store.acceptEvent(args);
      if (answer.kind === 'accepted') onAccepted(args);
      return answer;
    },
  };
}

/** A provider without usable credentials is off: events for its devices wait until they are mended. */
function setAvailability(
  relay: Relay,
  routes: readonly Route[],
  problems: readonly ProviderProblem[],
  log: Logger,
): void {
  for (const { provider, message } of problems) log.error({ provider }, message);
  for (const route of routes) {
    const problem = problems.find(({ provider }) => provider === providerOf(route));
    if (problem) relay.switchOff(route, problem.message);
    else relay.open(route);
  }
}

/** What was opened, to be closed in the opposite order. */
class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}
